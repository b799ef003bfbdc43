"""Types of the tool `drop_source`, in `router`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class DropSourceArgs(ClosedModel):
    """Args of `drop_source`: Remove an indexed corpus."""

    source: str


DropSourceResult: TypeAlias = JsonValue
