"""Types of the tool `bounds`, in `drafts.six`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class BoundsArgs(ClosedModel):
    """Args of `bounds`: An exclusive bound is a number."""

    over: Annotated[int, Field(gt=0)] | Annotated[float, Field(gt=0)]
    const: Literal["a"] | None = None
    if_: Annotated[str | None, Field(alias="if")] = None


BoundsResult: TypeAlias = JsonValue
