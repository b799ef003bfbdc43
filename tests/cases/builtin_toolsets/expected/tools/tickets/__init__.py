"""`tickets`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.close import CloseArgs as CloseArgs, CloseResult as CloseResult
    from . import codecs as codecs
    from .calls import new_close_call as new_close_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import CLOSE as CLOSE
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CLOSE": ".idents",
            "CloseArgs": ".types.close",
            "CloseResult": ".types.close",
            "Handlers": ".dispatch",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_close_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
