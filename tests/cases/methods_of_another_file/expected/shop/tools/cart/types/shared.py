"""Types that several tools share, in `shop.cart`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class Item(ClosedModel):
    sku: str
