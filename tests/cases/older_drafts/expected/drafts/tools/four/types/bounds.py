"""Types of the tool `bounds`, in `drafts.four`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class BoundsArgs(ClosedModel):
    """Args of `bounds`: In draft-04 an exclusive bound is a truth value beside the bound."""

    over: Annotated[int, Field(ge=0)] | Annotated[float, Field(ge=0)]
    whole: int | None = None
    const: str | None = None


BoundsResult: TypeAlias = JsonValue
