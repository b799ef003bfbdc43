"""Types of the tool `order`, in `names`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel

from .shared import OrderArgsItem


class OrderArgsArgs_d13ba5(ClosedModel):
    a: str


class OrderArgsItem_e478de(ClosedModel):
    name: str


class OrderArgs(ClosedModel):
    """Args of `order`: Its field `item` would make a class called like a type, its field `args` one called like those of `order_args`."""

    item: OrderArgsItem_e478de
    args: OrderArgsArgs_d13ba5
    other: OrderArgsItem | None = None


class OrderResultResult_392294(ClosedModel):
    x: int


class OrderResult(ClosedModel):
    """Result of `order`: Its field `item` would make a class called like a type, its field `args` one called like those of `order_args`."""

    result: OrderResultResult_392294
