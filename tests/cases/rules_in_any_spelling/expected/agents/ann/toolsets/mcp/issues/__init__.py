"""`mcp.issues`, as the agent `ann` uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.contract.records import ToolExecutor, ToolsetRegistration

    from ......mcp.tools.issues import (
        CREATE_ISSUE as CREATE_ISSUE,
        CreateIssueArgs as CreateIssueArgs,
        CreateIssueResult as CreateIssueResult,
        Handlers as Handlers,
        codecs as codecs,
        executor as executor,
        new_create_issue_call as new_create_issue_call,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CREATE_ISSUE": "......mcp.tools.issues",
            "CreateIssueArgs": "......mcp.tools.issues",
            "CreateIssueResult": "......mcp.tools.issues",
            "Handlers": "......mcp.tools.issues",
            "codecs": "......mcp.tools.issues",
            "executor": "......mcp.tools.issues",
            "new_create_issue_call": "......mcp.tools.issues",
        },
    )


def new_ann_issues_toolset_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run `mcp.issues` for `ann` with one executor."""
    from ......mcp.tools.issues import new_registration

    return new_registration(executor)
