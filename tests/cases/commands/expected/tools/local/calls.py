"""Call builders of `local`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import Absent, ToolRequest


def new_count_lines_call(*, path: str) -> ToolRequest:
    """Ask for `local.count_lines`: Count the lines of a file.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.COUNT_LINES, codecs.COUNT_LINES_ARGS, {"path": path})


def new_from_stdin_call(*, items: list[str]) -> ToolRequest:
    """Ask for `local.from_stdin`: All args arrive as JSON anyway.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.FROM_STDIN, codecs.FROM_STDIN_ARGS, {"items": items})


def new_git_log_call(*, branch: str, count: int = 10) -> ToolRequest:
    """Ask for `local.git_log`: The log of a branch.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.GIT_LOG, codecs.GIT_LOG_ARGS, {"branch": branch, "count": count}, {"count": 10})


def new_search_call(
    *,
    pattern: str,
    glob: str | None = None,
    limit: int | None = None,
    mode: Literal["fast", "full"] | None = None,
    nothing: str | None | Absent = ABSENT,
) -> ToolRequest:
    """Ask for `local.search`: Search text.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.SEARCH,
        codecs.SEARCH_ARGS,
        {"pattern": pattern, "glob": glob, "limit": limit, "mode": mode, "nothing": nothing},
    )
