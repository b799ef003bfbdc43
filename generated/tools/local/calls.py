"""Call builders of `local`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_count_lines_call(*, path: str, pattern: str, max_: int | None = None) -> ToolRequest:
    """Ask for `local.count_lines`: Count the lines of a file that match a pattern.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.COUNT_LINES, codecs.COUNT_LINES_ARGS, {"path": path, "pattern": pattern, "max": max_})


def new_git_grep_log_call(*, word: str, limit: int = 20) -> ToolRequest:
    """Ask for `local.git_grep_log`: Find commits whose message contains a word, newest first.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.GIT_GREP_LOG, codecs.GIT_GREP_LOG_ARGS, {"word": word, "limit": limit}, {"limit": 20})
