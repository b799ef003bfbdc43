"""Idents of the tools of `local`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.count_lines import CountLinesArgs, CountLinesResult
    from .types.from_stdin import FromStdinArgs, FromStdinResult
    from .types.git_log import GitLogArgs, GitLogResult
    from .types.search import SearchArgs, SearchResult

COUNT_LINES: Final[Ident[CountLinesArgs, CountLinesResult]] = Ident("local.count_lines")
"""Count the lines of a file."""

FROM_STDIN: Final[Ident[FromStdinArgs, FromStdinResult]] = Ident("local.from_stdin")
"""All args arrive as JSON anyway."""

GIT_LOG: Final[Ident[GitLogArgs, GitLogResult]] = Ident("local.git_log")
"""The log of a branch."""

SEARCH: Final[Ident[SearchArgs, SearchResult]] = Ident("local.search")
"""Search text."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    COUNT_LINES,
    FROM_STDIN,
    GIT_LOG,
    SEARCH,
)
"""Every tool of this toolset."""
