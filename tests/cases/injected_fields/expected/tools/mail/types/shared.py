"""Types that several tools share, in `mail`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class Draft(ClosedModel):
    to: str
    account: str
    text: str | None = None
