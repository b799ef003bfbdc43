"""Idents of the tools of `local`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.count_lines import CountLinesArgs, CountLinesResult
    from .types.git_grep_log import GitGrepLogArgs, GitGrepLogResult

COUNT_LINES: Final[Ident[CountLinesArgs, CountLinesResult]] = Ident("local.count_lines")
"""Count the lines of a file that match a pattern."""

GIT_GREP_LOG: Final[Ident[GitGrepLogArgs, GitGrepLogResult]] = Ident("local.git_grep_log")
"""Find commits whose message contains a word, newest first."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    COUNT_LINES,
    GIT_GREP_LOG,
)
"""Every tool of this toolset."""
