"""Types of the tool `learning`, in `bot`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class LearningArgs(ClosedModel):
    """Args of `learning`: Remember something."""

    category: Literal["factual", "a+b", "structured_data"]
    content: str
    note: str | None = None


LearningResult: TypeAlias = JsonValue
