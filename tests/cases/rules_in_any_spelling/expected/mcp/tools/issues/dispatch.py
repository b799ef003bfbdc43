"""What runs the tools of `mcp.issues`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.create_issue import CreateIssueArgs, CreateIssueResult


class Handlers(Protocol):
    """One method for each tool of `mcp.issues`, sync or async."""

    def create_issue(self, args: CreateIssueArgs, meta: ToolCallMeta, /) -> Returns[CreateIssueResult]:
        """Create an issue."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="mcp.issues",
        handlers={
            idents.CREATE_ISSUE: handlers.create_issue,
        },
        decode_in_executor=True,
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="mcp.issues",
        executor=executor,
        decode_in_executor=True,
    )
