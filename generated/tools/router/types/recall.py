"""Types of the tool `recall`, in `router`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from ....shared_types import Hit


class RecallArgs(ClosedModel):
    """Args of `recall`: Search indexed corpora by meaning."""

    sources: list[str]
    """The corpora to search."""
    query: str
    top_k: int = 5


RecallResult: TypeAlias = list[Hit]
