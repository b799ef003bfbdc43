"""What runs the tools of `mcp.local-files`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.list_ import ListArgs, ListResult


class Handlers(Protocol):
    """One method for each tool of `mcp.local-files`, sync or async."""

    def list(self, args: ListArgs, meta: ToolCallMeta, /) -> Returns[ListResult]:
        """List files."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="mcp.local-files",
        handlers={
            idents.LIST: handlers.list,
        },
        decode_in_executor=True,
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="mcp.local-files",
        executor=executor,
        decode_in_executor=True,
    )
