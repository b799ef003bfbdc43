"""Types of the tool `anchors`, in `yaml`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class AnchorsArgs(ClosedModel):
    """Args of `anchors`: Block text"""

    limit: int = 20
    ratio: int | float | None = None


AnchorsResult: TypeAlias = JsonValue
