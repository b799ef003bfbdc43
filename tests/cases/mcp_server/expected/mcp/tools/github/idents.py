"""Idents of the tools of `mcp.github`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.create_issue import CreateIssueArgs, CreateIssueResult
    from .types.get_file import GetFileArgs, GetFileResult

CREATE_ISSUE: Final[Ident[CreateIssueArgs, CreateIssueResult]] = Ident("mcp.github.create_issue")
"""Create an issue."""

GET_FILE: Final[Ident[GetFileArgs, GetFileResult]] = Ident("mcp.github.get_file")
"""Read a file."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    CREATE_ISSUE,
    GET_FILE,
)
"""Every tool of this toolset."""
