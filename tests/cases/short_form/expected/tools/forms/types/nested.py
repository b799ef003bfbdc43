"""Types of the tool `nested`, in `forms`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import Box


class NestedArgsOuterMiddle(ClosedModel):
    inner: str
    other: Box | None = None


class NestedArgsOuter(ClosedModel):
    middle: NestedArgsOuterMiddle


class NestedArgs(ClosedModel):
    """Args of `nested`: Fields in fields are objects in objects."""

    outer: NestedArgsOuter


NestedResult: TypeAlias = Annotated[int, Field(ge=1)]
