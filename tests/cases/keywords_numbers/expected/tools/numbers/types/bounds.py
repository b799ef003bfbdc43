"""Types of the tool `bounds`, in `numbers`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class BoundsArgs(ClosedModel):
    """Args of `bounds`: Inclusive and exclusive bounds."""

    at_least: Annotated[int, Field(ge=2)] | Annotated[float, Field(ge=1.5)] | None = None
    at_most: Annotated[int, Field(le=10)] | None = None
    over: Annotated[int, Field(gt=0)] | Annotated[float, Field(gt=0)] | None = None
    under: Annotated[int, Field(lt=1)] | Annotated[float, Field(lt=1)] | None = None
    between: Annotated[int, Field(ge=-1, le=1)] | None = None
    nested: list[list[Annotated[int, Field(ge=0)] | Annotated[float, Field(ge=0)]]] | None = None


BoundsResult: TypeAlias = JsonValue
