"""Types of the tool `list-all`, in `team.notes`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ListAllArgs(ClosedModel):
    """Args of `list-all`: List notes."""


ListAllResult: TypeAlias = JsonValue
