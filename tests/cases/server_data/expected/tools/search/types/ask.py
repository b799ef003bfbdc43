"""Types of the tool `ask`, in `search`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel

from .shared import Evidence


class AskArgs(ClosedModel):
    """Args of `ask`: Ask a question."""

    query: str
    lang: str | None = None


class AskResult(ClosedModel):
    """Result of `ask`: Ask a question."""

    answer: str
    count: int


class AskTimingData(ClosedModel):
    ms: int


AskEvidenceData: TypeAlias = list[Evidence]

AskRawHitsData: TypeAlias = JsonValue
