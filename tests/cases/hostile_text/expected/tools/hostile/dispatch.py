"""What runs the tools of `hostile`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.tool import ToolArgs, ToolResult


class Handlers(Protocol):
    """One method for each tool of `hostile`, sync or async."""

    def tool(self, args: ToolArgs, meta: ToolCallMeta, /) -> Returns[ToolResult]:
        """\"\"\"Ends early\"\"\" | and <b>goes</b> on\\"""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="hostile",
        handlers={
            idents.TOOL: handlers.tool,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="hostile",
        executor=executor,
    )
