"""Types of the tool `find`, in `shop.orders`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Order


class FindArgs(ClosedModel):
    """Args of `find`: Find orders of a customer, newest first."""

    customer: str
    """Name or part of it."""
    limit: int = 10


FindResult: TypeAlias = list[Order]
