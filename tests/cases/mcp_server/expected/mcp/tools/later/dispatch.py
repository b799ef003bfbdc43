"""What runs the tools of `mcp.later`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.ping import PingArgs, PingResult


class Handlers(Protocol):
    """One method for each tool of `mcp.later`, sync or async."""

    def ping(self, args: PingArgs, meta: ToolCallMeta, /) -> Returns[PingResult]:
        """Say hello."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="mcp.later",
        handlers={
            idents.PING: handlers.ping,
        },
        decode_in_executor=True,
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="mcp.later",
        executor=executor,
        decode_in_executor=True,
    )
