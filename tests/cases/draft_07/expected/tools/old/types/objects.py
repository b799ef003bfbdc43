"""Types of the tool `objects`, in `old`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class ObjectsArgs(OpenModel):
    """Args of `objects`: Dependencies of both kinds, conditions, and names of keys."""

    a: str | None = None
    b: str | None = None
    c: int | None = None


ObjectsResult: TypeAlias = JsonValue
