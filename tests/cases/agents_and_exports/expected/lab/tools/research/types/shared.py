"""Types that several tools share, in `lab.research`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class Source(ClosedModel):
    url: str
    title: str | None = None
