"""Types of the tool `anchors`, in `yaml`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class AnchorsArgs(ClosedModel):
    """Args of `anchors`: Block text"""

    limit: Annotated[int, Field(ge=16, le=511)] = 20
    ratio: Annotated[int, Field(ge=0, le=100)] | Annotated[float, Field(ge=-0.5, le=100)] | None = None


AnchorsResult: TypeAlias = JsonValue
