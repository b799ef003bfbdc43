"""Types of the tool `arrays`, in `old`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ArraysArgs(ClosedModel):
    """Args of `arrays`: Places are listed in items, and the rest in additionalItems."""

    pair: list[JsonValue] | None = None
    rest: list[JsonValue] | None = None
    has: list[JsonValue] | None = None
    min_contains: list[JsonValue] | None = None


ArraysResult: TypeAlias = JsonValue
