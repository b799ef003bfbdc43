"""Types that several tools share, in `shop.returns`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .....shared_types import Money, Place


class Order(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    price: Money
    place: Place | None = None


Price: TypeAlias = Money
