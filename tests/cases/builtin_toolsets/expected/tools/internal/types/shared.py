"""Types that several tools share, in `internal`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class Memory(ClosedModel):
    name: str
    text: str
    truncated: bool
