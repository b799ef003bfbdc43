"""Types of the tool `refund`, in `shop.orders`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class RefundArgsLinesItem(ClosedModel):
    sku: str
    count: int


class RefundArgs(ClosedModel):
    """Args of `refund`: Give the money back."""

    order_id: str
    reason: str | None = None
    amount: int | float = 10.5
    lines: list[RefundArgsLinesItem]


class RefundResult(ClosedModel):
    """Result of `refund`: Give the money back."""

    refunded: bool
