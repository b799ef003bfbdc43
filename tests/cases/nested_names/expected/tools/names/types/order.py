"""Types of the tool `order`, in `names`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel

from .shared import OrderArgsItem


class OrderArgsArgs_d13ba5(ClosedModel):
    a: str


class OrderArgsItem_e478de(ClosedModel):
    name: str


class OrderArgs(ClosedModel):
    item: OrderArgsItem_e478de
    args: OrderArgsArgs_d13ba5
    other: OrderArgsItem | None = None


class OrderResultResult_392294(ClosedModel):
    x: int


class OrderResult(ClosedModel):
    result: OrderResultResult_392294
