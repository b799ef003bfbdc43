"""Types of the tool `sizes`, in `shop`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class SizesArgs(ClosedModel):
    """Args of `sizes`: Sizes that cross."""

    a: list[JsonValue] | None = None


SizesResult: TypeAlias = dict[str, JsonValue]
