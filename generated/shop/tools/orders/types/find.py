"""Types of the tool `find`, in `shop.orders`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import Order


class FindArgs(ClosedModel):
    """Args of `find`: Find orders of a customer, newest first."""

    customer: Annotated[str, Field(min_length=1)]
    """Name or part of it."""
    limit: Annotated[int, Field(ge=1, le=50)] = 10


FindResult: TypeAlias = list[Order]
