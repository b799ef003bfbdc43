"""Call builders of `shop.orders`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_find_call(*, customer: str, limit: int = 10) -> ToolRequest:
    """Ask for `shop.orders.find`: Find orders of a customer, newest first.

    Args:
        customer: Name or part of it.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.FIND, codecs.FIND_ARGS, {"customer": customer, "limit": limit}, {"limit": 10})


def new_refund_call(*, order_id: str, amount: int | float | None = None, reason: str | None = None) -> ToolRequest:
    """Ask for `shop.orders.refund`: Refund an order, or a part of it.

    Args:
        order_id: As `find` gives it, such as o-1.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.REFUND, codecs.REFUND_ARGS, {"order_id": order_id, "amount": amount, "reason": reason})
