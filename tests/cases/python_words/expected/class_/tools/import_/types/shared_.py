"""Types of the tool `shared`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class SharedArgs(ClosedModel):
    """Args of `shared`: A module of the types."""

    shared: str


SharedResult: TypeAlias = JsonValue
