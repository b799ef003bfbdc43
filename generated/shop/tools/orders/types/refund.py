"""Types of the tool `refund`, in `shop.orders`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import Money, Order


class RefundArgs(ClosedModel):
    """Args of `refund`: Refund an order, or a part of it."""

    order_id: Annotated[str, Field(pattern="^o-[0-9]+$")]
    """As `find` gives it, such as o-1."""
    amount: Annotated[int, Field(gt=0)] | Annotated[float, Field(gt=0)] | None = None
    reason: str | None = None


class RefundResult(ClosedModel):
    """Result of `refund`: Refund an order, or a part of it."""

    order: Order
    refunded: Money
