"""Types of the tool `alone`, in `rules`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class AloneArgs(OpenModel):
    """Args of `alone`: An if by itself decides nothing, and neither does a then."""

    a: JsonValue | None = None
    b: JsonValue | None = None


AloneResult: TypeAlias = JsonValue
