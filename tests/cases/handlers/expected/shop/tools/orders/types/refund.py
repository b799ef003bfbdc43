"""Types of the tool `refund`, in `shop.orders`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class RefundArgs(ClosedModel):
    """Args of `refund`: Give the money back."""

    order_id: str


class RefundResult(ClosedModel):
    """Result of `refund`: Give the money back."""

    refunded: bool
