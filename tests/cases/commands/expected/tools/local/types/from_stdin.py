"""Types of the tool `from_stdin`, in `local`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class FromStdinArgs(ClosedModel):
    """Args of `from_stdin`: All args arrive as JSON anyway."""

    items: list[str]


FromStdinResult: TypeAlias = JsonValue
