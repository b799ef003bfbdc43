"""Types of the tool `claim`, in `bot`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ClaimArgs(ClosedModel):
    """Args of `claim`: Make a claim."""

    text: str
    sure: str


ClaimResult: TypeAlias = JsonValue
