"""`core`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.everything import EverythingArgs as EverythingArgs, EverythingResult as EverythingResult
    from .types.shared import Point as Point
    from . import codecs as codecs
    from .calls import new_everything_call as new_everything_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import EVERYTHING as EVERYTHING
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "EVERYTHING": ".idents",
            "EverythingArgs": ".types.everything",
            "EverythingResult": ".types.everything",
            "Handlers": ".dispatch",
            "Point": ".types.shared",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_everything_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
