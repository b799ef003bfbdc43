"""Types that several tools share, in `names`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class OrderArgsItem(ClosedModel):
    kind: str


class Shared(ClosedModel):
    value: int
