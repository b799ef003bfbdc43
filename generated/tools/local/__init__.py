"""`local`: Commands of this machine, as tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.count_lines import CountLinesArgs as CountLinesArgs, CountLinesResult as CountLinesResult
    from .types.git_grep_log import GitGrepLogArgs as GitGrepLogArgs, GitGrepLogResult as GitGrepLogResult
    from . import codecs as codecs
    from .calls import new_count_lines_call as new_count_lines_call, new_git_grep_log_call as new_git_grep_log_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import COUNT_LINES as COUNT_LINES, GIT_GREP_LOG as GIT_GREP_LOG
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "COUNT_LINES": ".idents",
            "CountLinesArgs": ".types.count_lines",
            "CountLinesResult": ".types.count_lines",
            "GIT_GREP_LOG": ".idents",
            "GitGrepLogArgs": ".types.git_grep_log",
            "GitGrepLogResult": ".types.git_grep_log",
            "Handlers": ".dispatch",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_count_lines_call": ".calls",
            "new_git_grep_log_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
