"""Types of the tool `place`, in `shop.orders`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .....shared_types import Money, Page, Place
from .shared import Order


class PlaceArgs(ClosedModel):
    """Args of `place`: Place an order."""

    price: Money
    place: Place
    also: Page | None = None


PlaceResult: TypeAlias = Order
