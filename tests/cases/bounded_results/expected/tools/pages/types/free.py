"""Types of the tool `free`, in `pages`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class FreeArgs(ClosedModel):
    cursor: str | None = None


FreeResult: TypeAlias = JsonValue
