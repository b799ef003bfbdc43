"""Types of the tool `sizes`, in `shop`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class SizesArgs(ClosedModel):
    """Args of `sizes`: Sizes that cross."""

    a: Annotated[list[JsonValue], Field(min_length=2, max_length=1)] | None = None


SizesResult: TypeAlias = Annotated[dict[str, JsonValue], Field(min_length=2, max_length=1)]
