"""`one`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.old import OldArgs as OldArgs, OldResult as OldResult
    from . import codecs as codecs
    from .calls import new_old_call as new_old_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import OLD as OLD
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "OLD": ".idents",
            "OldArgs": ".types.old",
            "OldResult": ".types.old",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_old_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
