"""Types of the tool `order_result`, in `names`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel


class OrderResultArgs(ClosedModel):
    pass


class OrderResultResult(ClosedModel):
    y: int
