"""Types that several tools share, in `shop.orders`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class Money(ClosedModel):
    amount: int | float
    currency: Literal["EUR", "USD"]


class Order(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    status: Literal["open", "shipped", "refunded"]
    total: Money
