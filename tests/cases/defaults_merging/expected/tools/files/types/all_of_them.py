"""Types of the tool `all_of_them`, in `files`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class AllOfThemArgs(ClosedModel):
    """Args of `all_of_them`: Has every default."""

    path: str
    session: str | None = None


AllOfThemResult: TypeAlias = JsonValue
