"""Types of the tool `recall`, in `router`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class RecallArgs(ClosedModel):
    """Args of `recall`: Ask sources."""

    sources: list[str]
    query: str
    filter_: Annotated[str | None, Field(alias="filter")] = None


RecallResult: TypeAlias = JsonValue
