"""Types of the tool `consts`, in `values`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ConstsArgs(ClosedModel):
    """Args of `consts`: One value only."""

    word: Literal["up"] | None = None
    number: Literal[1] | None = None
    whole_float: Literal[2] | None = None
    float_: Annotated[int | float | None, Field(alias="float")] = None
    truth: Literal[True] | None = None
    nothing: None = None
    object_: Annotated[JsonValue | None, Field(alias="object")] = None
    list_: Annotated[JsonValue | None, Field(alias="list")] = None
    both: Literal["a"] | None = None
    default: Literal["up"] = "up"


ConstsResult: TypeAlias = None
