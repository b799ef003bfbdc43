"""Types of the tool `refund`, in `shop.orders`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel


class RefundArgs(ClosedModel):
    order_id: str


class RefundResult(ClosedModel):
    refunded: bool
