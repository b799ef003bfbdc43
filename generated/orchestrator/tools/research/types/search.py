"""Types of the tool `search`, in `orchestrator.research`."""

from __future__ import annotations

from typing import Literal

from toolgen.runtime.codec.models import ClosedModel

from .....shared_types import Source


class SearchArgs(ClosedModel):
    """Args of `search`: Research a question and answer it with sources."""

    query: str
    """The question in one sentence."""
    depth: Literal["quick", "normal", "deep"] = "normal"
    not_before: str | None = None


class SearchResult(ClosedModel):
    """Result of `search`: Research a question and answer it with sources."""

    answer: str
    sources: list[Source]
