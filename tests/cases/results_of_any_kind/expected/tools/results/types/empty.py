"""Types of the tool `empty`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class EmptyArgs(ClosedModel):
    """Args of `empty`: No type."""


EmptyResult: TypeAlias = JsonValue
