"""Types that several tools share, in `orchestrator.research`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class Source(ClosedModel):
    url: str
    title: str
    quote: str | None = None
