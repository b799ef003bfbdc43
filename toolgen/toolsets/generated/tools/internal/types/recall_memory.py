"""Types of the tool `recall_memory`, in `internal`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import Memory


class RecallMemoryArgs(ClosedModel):
    """Args of `recall_memory`: Bring the long-term memories that fit some words into the context, the best first."""

    query: Annotated[str, Field(min_length=1, max_length=1000)]
    limit: Annotated[int, Field(ge=1, le=20)] = 5


class RecallMemoryResult(ClosedModel):
    """Result of `recall_memory`: Bring the long-term memories that fit some words into the context, the best first."""

    memories: list[Memory]
