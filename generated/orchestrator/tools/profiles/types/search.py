"""Types of the tool `search`, in `orchestrator.profiles`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Profile


class SearchArgs(ClosedModel):
    """Args of `search`: Find profiles by name."""

    query: str
    limit: int = 10


SearchResult: TypeAlias = list[Profile]
