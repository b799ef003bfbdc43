"""Types that several tools share, in `team.shop`."""

from __future__ import annotations

from typing import Literal

from toolgen.runtime.codec.models import ClosedModel


class Price(ClosedModel):
    amount: int | float
    currency: Literal["EUR", "USD"]
