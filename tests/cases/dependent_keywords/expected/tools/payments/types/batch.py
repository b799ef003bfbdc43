"""Types of the tool `batch`, in `payments`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class BatchArgsEntriesItem(ClosedModel):
    a: str | None = None
    b: str | None = None


class BatchArgs(ClosedModel):
    """Args of `batch`: The same inside an array."""

    entries: list[BatchArgsEntriesItem]


BatchResult: TypeAlias = JsonValue
