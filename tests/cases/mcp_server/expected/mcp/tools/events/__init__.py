"""`mcp.events`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.wait import WaitArgs as WaitArgs, WaitResult as WaitResult
    from . import codecs as codecs
    from .calls import new_wait_call as new_wait_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import WAIT as WAIT
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "WAIT": ".idents",
            "WaitArgs": ".types.wait",
            "WaitResult": ".types.wait",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_registration": ".dispatch",
            "new_wait_call": ".calls",
        },
    )
