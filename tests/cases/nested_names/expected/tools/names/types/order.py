"""Types of the tool `order`, in `names`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel

from .order_args import OrderArgsArgs
from .order_result import OrderResultResult
from .shared import OrderArgsItem


class OrderArgsItem_e478de(ClosedModel):
    name: str


class OrderArgs(ClosedModel):
    item: OrderArgsItem_e478de
    args: OrderArgsArgs
    other: OrderArgsItem | None = None


class OrderResult(ClosedModel):
    result: OrderResultResult
