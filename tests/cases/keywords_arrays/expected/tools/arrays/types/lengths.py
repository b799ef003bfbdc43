"""Types of the tool `lengths`, in `arrays`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class LengthsArgs(ClosedModel):
    """Args of `lengths`: Lengths and uniqueness."""

    few: Annotated[list[str], Field(max_length=2)] | None = None
    some: Annotated[list[int], Field(min_length=1)] | None = None
    distinct: list[JsonValue] | None = None
    anything: list[JsonValue] | None = None
    rows: list[Annotated[list[str], Field(min_length=1)]] | None = None


LengthsResult: TypeAlias = JsonValue
