"""Types of the tool `accept`, in `shop.returns`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel

from .....shared_types import Money
from .shared import Order


class AcceptArgs(ClosedModel):
    """Args of `accept`: Take an order back."""

    order: Order


class AcceptResult(ClosedModel):
    """Result of `accept`: Take an order back."""

    refunded: Money
