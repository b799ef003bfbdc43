"""Call builders of `pages`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_free_call(*, cursor: str | None = None) -> ToolRequest:
    """Ask for `pages.free`: A result without named fields may have any.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.FREE, codecs.FREE_ARGS, {"cursor": cursor})


def new_list_call(*, after: str | None = None, size: int = 50) -> ToolRequest:
    """Ask for `pages.list`: List rows, a page at a time.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.LIST, codecs.LIST_ARGS, {"after": after, "size": size}, {"size": 50})
