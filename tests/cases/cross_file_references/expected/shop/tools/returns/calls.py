"""Call builders of `shop.returns`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from .types.shared import Order


def new_accept_call(*, order: Order) -> ToolRequest:
    """Ask for `shop.returns.accept`: Take an order back.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ACCEPT, codecs.ACCEPT_ARGS, {"order": order})
