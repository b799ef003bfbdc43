"""`tickets`, as the agent `support` uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.contract.records import ToolExecutor, ToolsetRegistration

    from .....tools.tickets import (
        CLOSE as CLOSE,
        CloseArgs as CloseArgs,
        CloseResult as CloseResult,
        Handlers as Handlers,
        codecs as codecs,
        executor as executor,
        new_close_call as new_close_call,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CLOSE": ".....tools.tickets",
            "CloseArgs": ".....tools.tickets",
            "CloseResult": ".....tools.tickets",
            "Handlers": ".....tools.tickets",
            "codecs": ".....tools.tickets",
            "executor": ".....tools.tickets",
            "new_close_call": ".....tools.tickets",
        },
    )


def new_support_tickets_toolset_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run `tickets` for `support` with one executor."""
    from .....tools.tickets import new_registration

    return new_registration(executor)
