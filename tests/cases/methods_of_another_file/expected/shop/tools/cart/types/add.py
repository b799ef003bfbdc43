"""Types of the tool `add`, in `shop.cart`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel

from .shared import Item


class AddArgs(ClosedModel):
    """Args of `add`: Add an item."""

    item: Item


class AddResult(ClosedModel):
    """Result of `add`: Add an item."""

    count: int
