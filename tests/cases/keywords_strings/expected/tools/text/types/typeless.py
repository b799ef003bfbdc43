"""Types of the tool `typeless`, in `text`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class TypelessArgs(OpenModel):
    """Args of `typeless`: Without a type, these keywords say nothing of other values."""

    either: JsonValue | None = None
    matching: JsonValue | None = None


TypelessResult: TypeAlias = JsonValue
