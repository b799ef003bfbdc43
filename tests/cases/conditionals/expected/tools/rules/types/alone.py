"""Types of the tool `alone`, in `rules`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import OpenModel


class AloneArgs(OpenModel):
    a: JsonValue | None = None
    b: JsonValue | None = None


AloneResult: TypeAlias = JsonValue
