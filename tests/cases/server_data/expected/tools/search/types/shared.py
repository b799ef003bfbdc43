"""Types that several tools share, in `search`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class Evidence(ClosedModel):
    url: str
    score: int | float
