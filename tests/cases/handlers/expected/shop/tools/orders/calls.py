"""Call builders of `shop.orders`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_refund_call(*, order_id: str) -> ToolRequest:
    """Ask for `shop.orders.refund`: Give the money back.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.REFUND, codecs.REFUND_ARGS, {"order_id": order_id})


def new_status_call(*, order_id: str) -> ToolRequest:
    """Ask for `shop.orders.status`: Ask for the status.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.STATUS, codecs.STATUS_ARGS, {"order_id": order_id})
