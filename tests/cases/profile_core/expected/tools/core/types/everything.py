"""Types of the tool `everything`, in `core`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel

from .shared import Point


class EverythingArgs(ClosedModel):
    """Args of `everything`: Objects, arrays, scalars, enums, bounds, lengths, defaults, nesting."""

    points: list[Point]
    mode: Literal["a", "b"] = "a"
    """The mode."""
    name: str | None = None
    open_: Annotated[dict[str, JsonValue] | None, Field(alias="open")] = None
    flag: bool | None = None
    none: None = None


class EverythingResult(ClosedModel):
    """Result of `everything`: Objects, arrays, scalars, enums, bounds, lengths, defaults, nesting."""

    ok: bool
