"""Types of the tool `contents`, in `arrays`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ContentsArgs(ClosedModel):
    """Args of `contents`: Some items must be there."""

    one: list[JsonValue] | None = None
    several: list[int] | None = None
    none_needed: list[JsonValue] | None = None


ContentsResult: TypeAlias = JsonValue
