"""Types of the tool `typeless`, in `arrays`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class TypelessArgs(OpenModel):
    """Args of `typeless`: Without a type these keywords say nothing of other values."""

    listed: JsonValue | None = None
    unique: JsonValue | None = None


TypelessResult: TypeAlias = list[str | None]
