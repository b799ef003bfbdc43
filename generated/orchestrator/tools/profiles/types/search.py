"""Types of the tool `search`, in `orchestrator.profiles`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import Profile


class SearchArgs(ClosedModel):
    """Args of `search`: Find profiles by name."""

    query: Annotated[str, Field(min_length=1)]
    limit: Annotated[int, Field(ge=1, le=50)] = 10


SearchResult: TypeAlias = list[Profile]
