"""Types of the tool `bounds`, in `sound`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class BoundsArgs(ClosedModel):
    """Args of `bounds`: One value."""

    a: int
    b: str


BoundsResult: TypeAlias = JsonValue
