"""Types of the tool `list`, in `pages`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel


class ListArgs(ClosedModel):
    after: str | None = None
    size: int = 50


class ListResult(ClosedModel):
    rows: list[str]
    next_after: str | None = None
