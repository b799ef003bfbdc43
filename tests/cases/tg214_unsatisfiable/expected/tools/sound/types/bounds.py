"""Types of the tool `bounds`, in `sound`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class BoundsArgs(ClosedModel):
    """Args of `bounds`: One value."""

    a: Annotated[int, Field(ge=2, le=2)]
    b: Annotated[str, Field(min_length=2, max_length=2)]


BoundsResult: TypeAlias = JsonValue
