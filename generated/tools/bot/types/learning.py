"""Types of the tool `learning`, in `bot`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class LearningArgs(ClosedModel):
    """Args of `learning`: Record a correction or new fact from conversation."""

    category: Literal["factual", "communication", "structured_data"]
    content: str


LearningResult: TypeAlias = JsonValue
