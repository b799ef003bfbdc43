"""Types of the tool `recall`, in `router`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from ....shared_types import Hit


class RecallArgs(ClosedModel):
    """Args of `recall`: Search indexed corpora by meaning."""

    sources: Annotated[list[str], Field(min_length=1)]
    """The corpora to search."""
    query: Annotated[str, Field(min_length=1)]
    top_k: Annotated[int, Field(ge=1, le=50)] = 5


RecallResult: TypeAlias = list[Hit]
