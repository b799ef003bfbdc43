"""Types of the tool `everything`, in `core`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel

from .shared import Point


class EverythingArgs(ClosedModel):
    """Args of `everything`: Objects, arrays, scalars, enums, bounds, lengths, defaults, nesting."""

    points: Annotated[list[Point], Field(min_length=1, max_length=3)]
    mode: Literal["a", "b"] = "a"
    """The mode."""
    name: Annotated[str, Field(min_length=1, max_length=5)] | None = None
    open_: Annotated[Annotated[dict[str, JsonValue], Field(min_length=1, max_length=3)] | None, Field(alias="open")] = (
        None
    )
    flag: bool | None = None
    none: None = None


class EverythingResult(ClosedModel):
    """Result of `everything`: Objects, arrays, scalars, enums, bounds, lengths, defaults, nesting."""

    ok: bool
