"""Types of the tool `old`, in `one`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class OldArgs(OpenModel):
    """Args of `old`: The older draft."""

    pair: list[JsonValue] | None = None


OldResult: TypeAlias = list[JsonValue]
