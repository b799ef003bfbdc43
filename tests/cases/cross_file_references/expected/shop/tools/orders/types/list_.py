"""Types of the tool `list`, in `shop.orders`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .....shared_types import Currency, Page
from .shared import Order


class ListArgs(ClosedModel):
    """Args of `list`: List orders."""

    page: Page | None = None
    currency: Currency | None = None


ListResult: TypeAlias = list[Order]
