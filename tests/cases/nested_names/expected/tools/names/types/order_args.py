"""Types of the tool `order_args`, in `names`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class OrderArgsArgs(ClosedModel):
    """Args of `order_args`: Called like a field of the other tool."""

    b: str


class OrderArgsResultArgs(ClosedModel):
    c: str


class OrderArgsResult(ClosedModel):
    """Result of `order_args`: Called like a field of the other tool."""

    args: OrderArgsResultArgs
