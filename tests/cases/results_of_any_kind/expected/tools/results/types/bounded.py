"""Types of the tool `bounded`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class BoundedArgs(ClosedModel):
    """Args of `bounded`: Keywords without a type."""


BoundedResult: TypeAlias = JsonValue
