"""Types of the tool `refund`, in `shop.orders`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class RefundArgsLinesItem(ClosedModel):
    sku: str
    count: int


class RefundArgs(ClosedModel):
    """Args of `refund`: Give the money back."""

    order_id: str
    reason: str | None = None
    amount: Annotated[int, Field(gt=0)] | Annotated[float, Field(gt=0)] = 10.5
    lines: list[RefundArgsLinesItem]


class RefundResult(ClosedModel):
    """Result of `refund`: Give the money back."""

    refunded: bool
