"""Types of the tool `list`, in `shop.orders`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .....shared_types import Page
from .shared import Order


class ListArgs(ClosedModel):
    """Args of `list`: List orders."""

    page: Page | None = None
    currency: Literal["EUR", "USD"] | None = None


ListResult: TypeAlias = list[Order]
