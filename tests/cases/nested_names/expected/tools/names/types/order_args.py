"""Types of the tool `order_args`, in `names`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel


class OrderArgsArgs(ClosedModel):
    b: str


class OrderArgsResultArgs(ClosedModel):
    c: str


class OrderArgsResult(ClosedModel):
    args: OrderArgsResultArgs
