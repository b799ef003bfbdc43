"""Types of the tool `search`, in `code`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class SearchArgs(ClosedModel):
    """Args of `search`: Search file contents with a regular expression."""

    query: Annotated[str, Field(min_length=1)]
    path: str = "."
    glob: str | None = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 100


class SearchResultMatchesItem(ClosedModel):
    path: str
    line: int
    text: str


class SearchResult(ClosedModel):
    """Result of `search`: Search file contents with a regular expression."""

    matches: list[SearchResultMatchesItem]
    truncated: bool
