"""What runs the tools of `mcp.github`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.create_issue import CreateIssueArgs, CreateIssueResult
    from .types.get_file import GetFileArgs, GetFileResult


class Handlers(Protocol):
    """One method for each tool of `mcp.github`, sync or async."""

    def create_issue(self, args: CreateIssueArgs, meta: ToolCallMeta, /) -> Returns[CreateIssueResult]:
        """Open an issue."""
        ...

    def get_file(self, args: GetFileArgs, meta: ToolCallMeta, /) -> Returns[GetFileResult]:
        """Read one file of a repository."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="mcp.github",
        handlers={
            idents.CREATE_ISSUE: handlers.create_issue,
            idents.GET_FILE: handlers.get_file,
        },
        decode_in_executor=True,
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="mcp.github",
        executor=executor,
        decode_in_executor=True,
    )
