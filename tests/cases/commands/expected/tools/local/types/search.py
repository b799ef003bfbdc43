"""Types of the tool `search`, in `local`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class SearchArgs(ClosedModel):
    """Args of `search`: Search text."""

    pattern: str
    glob: str | None = None
    limit: int | None = None
    mode: Literal["fast", "full"] | None = None
    nothing: str | None = None


SearchResult: TypeAlias = str
