"""Types of the tool `one_of`, in `choices`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class OneOfArgsShapeCircle(ClosedModel):
    r: int | float


class OneOfArgsShapeRectangle(ClosedModel):
    w: int | float
    h: int | float


class OneOfArgs(ClosedModel):
    """Args of `one_of`: Exactly one of several."""

    number: int
    shape: OneOfArgsShapeCircle | OneOfArgsShapeRectangle | None = None


OneOfResult: TypeAlias = JsonValue
