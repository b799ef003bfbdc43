"""Types of the tool `accept`, in `shop.returns`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel

from .shared import Money, Order


class AcceptArgs(ClosedModel):
    order: Order


class AcceptResult(ClosedModel):
    refunded: Money
