"""`mcp.issues`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.create_issue import CreateIssueArgs as CreateIssueArgs, CreateIssueResult as CreateIssueResult
    from . import codecs as codecs
    from .calls import new_create_issue_call as new_create_issue_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import CREATE_ISSUE as CREATE_ISSUE
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CREATE_ISSUE": ".idents",
            "CreateIssueArgs": ".types.create_issue",
            "CreateIssueResult": ".types.create_issue",
            "Handlers": ".dispatch",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_create_issue_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
