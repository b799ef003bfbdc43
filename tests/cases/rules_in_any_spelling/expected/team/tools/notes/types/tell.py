"""Types of the tool `tell`, in `team.notes`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class TellArgs(ClosedModel):
    """Args of `tell`: Tell somebody."""

    to: str
    text: str


TellResult: TypeAlias = JsonValue
