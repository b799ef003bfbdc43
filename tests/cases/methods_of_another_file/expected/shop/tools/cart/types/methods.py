"""Types of the methods that tools are bound to, in `shop.cart`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel

from .shared import Item


class AddItemPayload(ClosedModel):
    item: Item


class AddItemMethodResult(ClosedModel):
    count: int
