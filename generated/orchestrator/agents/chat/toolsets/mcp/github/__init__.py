"""`mcp.github`, as the agent `orchestrator.chat` uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.contract.records import ToolExecutor, ToolsetRegistration

    from .......mcp.tools.github import (
        CREATE_ISSUE as CREATE_ISSUE,
        GET_FILE as GET_FILE,
        CreateIssueArgs as CreateIssueArgs,
        CreateIssueResult as CreateIssueResult,
        GetFileArgs as GetFileArgs,
        GetFileResult as GetFileResult,
        Handlers as Handlers,
        codecs as codecs,
        executor as executor,
        new_create_issue_call as new_create_issue_call,
        new_get_file_call as new_get_file_call,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CREATE_ISSUE": ".......mcp.tools.github",
            "CreateIssueArgs": ".......mcp.tools.github",
            "CreateIssueResult": ".......mcp.tools.github",
            "GET_FILE": ".......mcp.tools.github",
            "GetFileArgs": ".......mcp.tools.github",
            "GetFileResult": ".......mcp.tools.github",
            "Handlers": ".......mcp.tools.github",
            "codecs": ".......mcp.tools.github",
            "executor": ".......mcp.tools.github",
            "new_create_issue_call": ".......mcp.tools.github",
            "new_get_file_call": ".......mcp.tools.github",
        },
    )


def new_chat_github_toolset_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run `mcp.github` for `orchestrator.chat` with one executor."""
    from .......mcp.tools.github import new_registration

    return new_registration(executor)
