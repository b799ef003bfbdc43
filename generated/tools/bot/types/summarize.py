"""Types of the tool `summarize`, in `bot`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class SummarizeArgs(ClosedModel):
    """Args of `summarize`: Generate a summary of the current conversation."""

    raw_arg: str


SummarizeResult: TypeAlias = JsonValue
