"""Call builders of `shop.backend`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_drop_call(*, sku: str) -> ToolRequest:
    """Ask for `shop.backend.drop`: Drop an item.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.DROP, codecs.DROP_ARGS, {"sku": sku})
