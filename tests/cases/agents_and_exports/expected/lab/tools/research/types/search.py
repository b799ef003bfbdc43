"""Types of the tool `search`, in `lab.research`."""

from __future__ import annotations

from typing import Literal

from toolgen.runtime.codec.models import ClosedModel

from .shared import Source


class SearchArgs(ClosedModel):
    """Args of `search`: Answer a question with sources."""

    query: str
    depth: Literal["quick", "deep"] | None = None


class SearchResult(ClosedModel):
    """Result of `search`: Answer a question with sources."""

    answer: str
    sources: list[Source]
