"""Types of the tool `place`, in `shop.orders`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Order, Page, Place, Price


class PlaceArgs(ClosedModel):
    """Args of `place`: Place an order."""

    price: Price
    place: Place
    also: Page | None = None


PlaceResult: TypeAlias = Order
