"""`drafts.six`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.bounds import BoundsArgs as BoundsArgs, BoundsResult as BoundsResult
    from . import codecs as codecs
    from .calls import new_bounds_call as new_bounds_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import BOUNDS as BOUNDS
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "BOUNDS": ".idents",
            "BoundsArgs": ".types.bounds",
            "BoundsResult": ".types.bounds",
            "Handlers": ".dispatch",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_bounds_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
