"""Types of the tool `search`, in `code`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class SearchArgs(ClosedModel):
    """Args of `search`: Search file contents with a regular expression."""

    query: str
    path: str = "."
    glob: str | None = None
    limit: int = 100


class SearchResultMatchesItem(ClosedModel):
    path: str
    line: int
    text: str


class SearchResult(ClosedModel):
    """Result of `search`: Search file contents with a regular expression."""

    matches: list[SearchResultMatchesItem]
    truncated: bool
