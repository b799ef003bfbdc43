"""Types that several tools share, in `core`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class Point(ClosedModel):
    x: int | float
    y: int | float
