"""Types of the tool `bounds`, in `drafts.four`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class BoundsArgs(ClosedModel):
    over: int | float
    whole: int | None = None
    const: str | None = None


BoundsResult: TypeAlias = JsonValue
