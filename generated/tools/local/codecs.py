"""Codecs of `local`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.count_lines import CountLinesArgs, CountLinesResult
    from .types.git_grep_log import GitGrepLogArgs, GitGrepLogResult

COUNT_LINES_ARGS: Final[Codec[CountLinesArgs]] = Codec.of_package(PACKAGE, "local.count_lines", "args")
COUNT_LINES_RESULT: Final[Codec[CountLinesResult]] = Codec.of_package(PACKAGE, "local.count_lines", "result")
GIT_GREP_LOG_ARGS: Final[Codec[GitGrepLogArgs]] = Codec.of_package(PACKAGE, "local.git_grep_log", "args")
GIT_GREP_LOG_RESULT: Final[Codec[GitGrepLogResult]] = Codec.of_package(PACKAGE, "local.git_grep_log", "result")
