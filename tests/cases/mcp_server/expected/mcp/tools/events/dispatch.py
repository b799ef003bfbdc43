"""What runs the tools of `mcp.events`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.wait import WaitArgs, WaitResult


class Handlers(Protocol):
    """One method for each tool of `mcp.events`, sync or async."""

    def wait(self, args: WaitArgs, meta: ToolCallMeta, /) -> Returns[WaitResult]:
        """Wait for an event."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="mcp.events",
        handlers={
            idents.WAIT: handlers.wait,
        },
        decode_in_executor=True,
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="mcp.events",
        executor=executor,
        decode_in_executor=True,
    )
