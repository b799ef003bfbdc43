"""Types of the tool `forbidden`, in `sound`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class ForbiddenArgs(OpenModel):
    """Args of `forbidden`: Never both fields."""

    a: str | None = None
    b: str | None = None


ForbiddenResult: TypeAlias = JsonValue
