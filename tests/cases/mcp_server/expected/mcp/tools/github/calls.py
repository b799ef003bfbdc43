"""Call builders of `mcp.github`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_create_issue_call(*, title: str, labels: list[str] | None = None) -> ToolRequest:
    """Ask for `mcp.github.create_issue`: Create an issue.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CREATE_ISSUE, codecs.CREATE_ISSUE_ARGS, {"title": title, "labels": labels})


def new_get_file_call(*, path: str) -> ToolRequest:
    """Ask for `mcp.github.get_file`: Read a file.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.GET_FILE, codecs.GET_FILE_ARGS, {"path": path})
