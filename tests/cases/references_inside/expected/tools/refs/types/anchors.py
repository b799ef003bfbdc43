"""Types of the tool `anchors`, in `refs`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import OpenModel


class AnchorsArgs(OpenModel):
    """Args of `anchors`: By anchor, and dynamically."""

    positive: JsonValue | None = None
    list_: Annotated[JsonValue | None, Field(alias="list")] = None


AnchorsResult: TypeAlias = JsonValue
