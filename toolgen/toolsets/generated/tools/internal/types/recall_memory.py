"""Types of the tool `recall_memory`, in `internal`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class RecallMemoryArgs(ClosedModel):
    """Args of `recall_memory`: Bring selected long-term memories into the context."""

    query: str
    limit: int = 5


RecallMemoryResult: TypeAlias = JsonValue
