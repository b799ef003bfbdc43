"""Types of the tool `free`, in `pages`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class FreeArgs(ClosedModel):
    """Args of `free`: A result without named fields may have any."""

    cursor: str | None = None


FreeResult: TypeAlias = JsonValue
