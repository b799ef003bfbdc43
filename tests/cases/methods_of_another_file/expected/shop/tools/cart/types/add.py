"""Types of the tool `add`, in `shop.cart`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel

from .shared import Item


class AddArgs(ClosedModel):
    item: Item


class AddResult(ClosedModel):
    count: int
