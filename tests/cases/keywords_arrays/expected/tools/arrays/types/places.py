"""Types of the tool `places`, in `arrays`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class PlacesArgs(ClosedModel):
    """Args of `places`: Every place has a schema of its own."""

    pair: list[JsonValue] | None = None
    exact: Annotated[list[JsonValue], Field(min_length=2)] | None = None
    rest: list[JsonValue] | None = None
    rows: list[list[JsonValue]] | None = None


PlacesResult: TypeAlias = JsonValue
