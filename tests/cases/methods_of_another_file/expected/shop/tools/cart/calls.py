"""Call builders of `shop.cart`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from .types.shared import Item


def new_add_call(*, item: Item) -> ToolRequest:
    """Ask for `shop.cart.add`: Add an item.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ADD, codecs.ADD_ARGS, {"item": item})
