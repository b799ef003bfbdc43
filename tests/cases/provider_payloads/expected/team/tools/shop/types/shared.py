"""Types that several tools share, in `team.shop`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class Price(ClosedModel):
    amount: Annotated[int, Field(ge=0)] | Annotated[float, Field(ge=0)]
    currency: Literal["EUR", "USD"]
