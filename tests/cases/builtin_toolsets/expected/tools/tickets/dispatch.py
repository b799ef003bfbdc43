"""What runs the tools of `tickets`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.close import CloseArgs, CloseResult


class Handlers(Protocol):
    """One method for each tool of `tickets`, sync or async."""

    def close(self, args: CloseArgs, meta: ToolCallMeta, /) -> Returns[CloseResult]:
        """Close a ticket."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="tickets",
        handlers={
            idents.CLOSE: handlers.close,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="tickets",
        executor=executor,
    )
