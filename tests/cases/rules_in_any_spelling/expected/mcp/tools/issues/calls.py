"""Call builders of `mcp.issues`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_create_issue_call() -> ToolRequest:
    """Ask for `mcp.issues.create_issue`: Create an issue.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CREATE_ISSUE, codecs.CREATE_ISSUE_ARGS, {})
