"""Types of the tool `lengths`, in `arrays`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class LengthsArgs(ClosedModel):
    """Args of `lengths`: Lengths and uniqueness."""

    few: list[str] | None = None
    some: list[int] | None = None
    distinct: list[JsonValue] | None = None
    anything: list[JsonValue] | None = None
    rows: list[list[str]] | None = None


LengthsResult: TypeAlias = JsonValue
