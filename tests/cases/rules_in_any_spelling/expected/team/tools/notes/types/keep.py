"""Types of the tool `keep`, in `team.notes`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class KeepArgs(ClosedModel):
    """Args of `keep`: Keep a note."""


KeepResult: TypeAlias = JsonValue
