"""Types of the tool `note`, in `team.shop`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class NoteArgs(ClosedModel):
    """Args of `note`: Keep anything at all, under a key."""

    key: str
    value: JsonValue
    mark: str | None = None


NoteResult: TypeAlias = JsonValue
