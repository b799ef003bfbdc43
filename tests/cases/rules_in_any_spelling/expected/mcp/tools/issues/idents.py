"""Idents of the tools of `mcp.issues`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.create_issue import CreateIssueArgs, CreateIssueResult

CREATE_ISSUE: Final[Ident[CreateIssueArgs, CreateIssueResult]] = Ident("mcp.issues.create_issue")
"""Create an issue."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (CREATE_ISSUE,)
"""Every tool of this toolset."""
