"""Types of the tool `refund`, in `shop.orders`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel

from .shared import Money, Order


class RefundArgs(ClosedModel):
    order_id: str
    """As `find` gives it, such as o-1."""
    amount: int | float | None = None
    reason: str | None = None


class RefundResult(ClosedModel):
    order: Order
    refunded: Money
