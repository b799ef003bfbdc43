"""`local`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.count_lines import CountLinesArgs as CountLinesArgs, CountLinesResult as CountLinesResult
    from .types.from_stdin import FromStdinArgs as FromStdinArgs, FromStdinResult as FromStdinResult
    from .types.git_log import GitLogArgs as GitLogArgs, GitLogResult as GitLogResult
    from .types.search import SearchArgs as SearchArgs, SearchResult as SearchResult
    from . import codecs as codecs
    from .calls import (
        new_count_lines_call as new_count_lines_call,
        new_from_stdin_call as new_from_stdin_call,
        new_git_log_call as new_git_log_call,
        new_search_call as new_search_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import COUNT_LINES as COUNT_LINES, FROM_STDIN as FROM_STDIN, GIT_LOG as GIT_LOG, SEARCH as SEARCH
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "COUNT_LINES": ".idents",
            "CountLinesArgs": ".types.count_lines",
            "CountLinesResult": ".types.count_lines",
            "FROM_STDIN": ".idents",
            "FromStdinArgs": ".types.from_stdin",
            "FromStdinResult": ".types.from_stdin",
            "GIT_LOG": ".idents",
            "GitLogArgs": ".types.git_log",
            "GitLogResult": ".types.git_log",
            "Handlers": ".dispatch",
            "SEARCH": ".idents",
            "SearchArgs": ".types.search",
            "SearchResult": ".types.search",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_count_lines_call": ".calls",
            "new_from_stdin_call": ".calls",
            "new_git_log_call": ".calls",
            "new_registration": ".dispatch",
            "new_search_call": ".calls",
        },
    )
