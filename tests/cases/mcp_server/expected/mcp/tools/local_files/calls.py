"""Call builders of `mcp.local-files`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_list_call() -> ToolRequest:
    """Ask for `mcp.local-files.list`: List files.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.LIST, codecs.LIST_ARGS, {})
