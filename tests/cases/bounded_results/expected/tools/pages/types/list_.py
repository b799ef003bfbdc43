"""Types of the tool `list`, in `pages`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class ListArgs(ClosedModel):
    """Args of `list`: List rows, a page at a time."""

    after: str | None = None
    size: int = 50


class ListResult(ClosedModel):
    """Result of `list`: List rows, a page at a time."""

    rows: list[str]
    next_after: str | None = None
