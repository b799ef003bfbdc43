"""Types of the tool `recall_memory`, in `internal`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel

from .shared import Memory


class RecallMemoryArgs(ClosedModel):
    """Args of `recall_memory`: Bring the long-term memories that fit some words into the context, the best first."""

    query: str
    limit: int = 5


class RecallMemoryResult(ClosedModel):
    """Result of `recall_memory`: Bring the long-term memories that fit some words into the context, the best first."""

    memories: list[Memory]
