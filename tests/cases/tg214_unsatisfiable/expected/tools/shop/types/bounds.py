"""Types of the tool `bounds`, in `shop`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class BoundsArgs(ClosedModel):
    """Args of `bounds`: Bounds that cross."""

    a: Annotated[int, Field(ge=3, le=2)] | None = None
    b: Annotated[int, Field(le=1, gt=1)] | Annotated[float, Field(le=1, gt=1)] | None = None


BoundsResult: TypeAlias = JsonValue
