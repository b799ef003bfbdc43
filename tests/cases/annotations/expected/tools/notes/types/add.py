"""Types of the tool `add`, in `notes`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel

from .shared import Note


class AddArgs(ClosedModel):
    """Args of `add`: Add a note."""

    note: Note
    pinned: bool = False
    colour: str | None = None
    places: list[JsonValue] | None = None


AddResult: TypeAlias = Note
