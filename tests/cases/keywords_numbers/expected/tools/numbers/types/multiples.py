"""Types of the tool `multiples`, in `numbers`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class MultiplesArgs(ClosedModel):
    """Args of `multiples`: Multiples of whole numbers and of fractions."""

    even: int | None = None
    cents: int | float | None = None
    typeless: JsonValue | None = None


MultiplesResult: TypeAlias = JsonValue
