"""Types of the tool `source`, in `bot`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class SourceArgs(ClosedModel):
    """Args of `source`: Archive source material contributed by a user."""

    raw_arg: str


SourceResult: TypeAlias = JsonValue
