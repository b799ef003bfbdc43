"""Types of the tool `search`, in `router`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class SearchArgs(ClosedModel):
    """Args of `search`: Search the web."""

    query: str
    limit: int | None = None


SearchResult: TypeAlias = JsonValue
