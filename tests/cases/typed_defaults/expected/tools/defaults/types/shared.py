"""Types that several tools share, in `defaults`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from toolgen.runtime.codec.models import ClosedModel


Level: TypeAlias = Literal["low", "high"]


class Point(ClosedModel):
    x: int | float = 0
    y: int | float = 0.5
