"""Types of the tool `bounds`, in `numbers`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class BoundsArgs(ClosedModel):
    """Args of `bounds`: Inclusive and exclusive bounds."""

    at_least: int | float | None = None
    at_most: int | None = None
    over: int | float | None = None
    under: int | float | None = None
    between: int | None = None
    nested: list[list[int | float]] | None = None


BoundsResult: TypeAlias = JsonValue
