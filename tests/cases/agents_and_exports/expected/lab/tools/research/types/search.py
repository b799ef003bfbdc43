"""Types of the tool `search`, in `lab.research`."""

from __future__ import annotations

from typing import Literal

from toolgen.runtime.models import ClosedModel

from .shared import Source


class SearchArgs(ClosedModel):
    query: str
    depth: Literal["quick", "deep"] | None = None


class SearchResult(ClosedModel):
    answer: str
    sources: list[Source]
