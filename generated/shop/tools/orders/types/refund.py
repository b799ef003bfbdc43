"""Types of the tool `refund`, in `shop.orders`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel

from .shared import Money, Order


class RefundArgs(ClosedModel):
    """Args of `refund`: Refund an order, or a part of it."""

    order_id: str
    """As `find` gives it, such as o-1."""
    amount: int | float | None = None
    reason: str | None = None


class RefundResult(ClosedModel):
    """Result of `refund`: Refund an order, or a part of it."""

    order: Order
    refunded: Money
