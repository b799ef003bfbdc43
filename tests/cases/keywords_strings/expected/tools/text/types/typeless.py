"""Types of the tool `typeless`, in `text`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import OpenModel


class TypelessArgs(OpenModel):
    either: JsonValue | None = None
    matching: JsonValue | None = None


TypelessResult: TypeAlias = JsonValue
