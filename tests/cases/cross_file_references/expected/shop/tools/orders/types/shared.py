"""Types that several tools share, in `shop.orders`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class Price(ClosedModel):
    amount: int | float
    currency: Literal["EUR", "USD"]


class Money(ClosedModel):
    amount: int | float
    currency: Literal["EUR", "USD"]


class Place(ClosedModel):
    lat: int | float
    lon: int | float
    entry: Money | None = None


class Page(ClosedModel):
    size: int
    after: str | None = None


class Order(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    price: Price
    place: Place | None = None


Currency: TypeAlias = Literal["EUR", "USD"]
