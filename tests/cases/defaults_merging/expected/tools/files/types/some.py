"""Types of the tool `some`, in `files`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class SomeArgs(ClosedModel):
    """Args of `some`: Adds tags and changes limits."""

    path: str


SomeResult: TypeAlias = JsonValue
