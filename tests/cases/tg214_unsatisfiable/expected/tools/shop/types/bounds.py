"""Types of the tool `bounds`, in `shop`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class BoundsArgs(ClosedModel):
    """Args of `bounds`: Bounds that cross."""

    a: int | None = None
    b: int | float | None = None


BoundsResult: TypeAlias = JsonValue
