"""Types of the tool `add`, in `team.notes`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class AddArgs(ClosedModel):
    """Args of `add`: Add a note."""

    text: str


AddResult: TypeAlias = JsonValue
