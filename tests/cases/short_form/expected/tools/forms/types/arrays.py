"""Types of the tool `arrays`, in `forms`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel

from .shared import Box


class ArraysArgsPointsItem(ClosedModel):
    x: int | float
    y: int | float


class ArraysArgs(ClosedModel):
    """Args of `arrays`: Arrays of everything."""

    words: list[str]
    boxes: list[Box]
    grid: list[list[int | float]]
    points: list[ArraysArgsPointsItem]
    things: list[JsonValue] | None = None


ArraysResult: TypeAlias = list[Box]
