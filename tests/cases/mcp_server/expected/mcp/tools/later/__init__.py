"""`mcp.later`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.ping import PingArgs as PingArgs, PingResult as PingResult
    from . import codecs as codecs
    from .calls import new_ping_call as new_ping_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import PING as PING
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "PING": ".idents",
            "PingArgs": ".types.ping",
            "PingResult": ".types.ping",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_ping_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
