"""Idents of the tools of `router`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.call_tool import CallToolArgs, CallToolResult
    from .types.invoke_skill import InvokeSkillArgs, InvokeSkillResult
    from .types.read import ReadArgs, ReadResult
    from .types.recall import RecallArgs, RecallResult
    from .types.search import SearchArgs, SearchResult

CALL_TOOL: Final[Ident[CallToolArgs, CallToolResult]] = Ident("router.call_tool")
"""Call a tool of a server."""

INVOKE_SKILL: Final[Ident[InvokeSkillArgs, InvokeSkillResult]] = Ident("router.invoke_skill")
"""Run a skill."""

READ: Final[Ident[ReadArgs, ReadResult]] = Ident("router.read")
"""Read a file."""

RECALL: Final[Ident[RecallArgs, RecallResult]] = Ident("router.recall")
"""Ask sources."""

SEARCH: Final[Ident[SearchArgs, SearchResult]] = Ident("router.search")
"""Search the web."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    CALL_TOOL,
    INVOKE_SKILL,
    READ,
    RECALL,
    SEARCH,
)
"""Every tool of this toolset."""
