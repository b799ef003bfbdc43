"""Types of the tool `pointers`, in `refs`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class PointersArgsPoint(ClosedModel):
    x: int | float
    label: Annotated[str, Field(min_length=1)] | None = None


class PointersArgs(ClosedModel):
    """Args of `pointers`: By JSON pointer, also into properties, through escaped names, and from one definition to another."""

    first: PointersArgsPoint | None = None
    second: PointersArgsPoint | None = None
    third: int | None = None
    fourth: list[Annotated[str, Field(min_length=1)]] | None = None
    narrowed: Annotated[str, Field(min_length=1)] | None = None


PointersResult: TypeAlias = JsonValue
