"""Codecs of `local`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.count_lines import CountLinesArgs, CountLinesResult
    from .types.from_stdin import FromStdinArgs, FromStdinResult
    from .types.git_log import GitLogArgs, GitLogResult
    from .types.search import SearchArgs, SearchResult

COUNT_LINES_ARGS: Final[Codec[CountLinesArgs]] = Codec.of_package(PACKAGE, "local.count_lines", "args")
COUNT_LINES_RESULT: Final[Codec[CountLinesResult]] = Codec.of_package(PACKAGE, "local.count_lines", "result")
FROM_STDIN_ARGS: Final[Codec[FromStdinArgs]] = Codec.of_package(PACKAGE, "local.from_stdin", "args")
FROM_STDIN_RESULT: Final[Codec[FromStdinResult]] = Codec.of_package(PACKAGE, "local.from_stdin", "result")
GIT_LOG_ARGS: Final[Codec[GitLogArgs]] = Codec.of_package(PACKAGE, "local.git_log", "args")
GIT_LOG_RESULT: Final[Codec[GitLogResult]] = Codec.of_package(PACKAGE, "local.git_log", "result")
SEARCH_ARGS: Final[Codec[SearchArgs]] = Codec.of_package(PACKAGE, "local.search", "args")
SEARCH_RESULT: Final[Codec[SearchResult]] = Codec.of_package(PACKAGE, "local.search", "result")
