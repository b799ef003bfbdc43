"""Types of the tool `add`, in `shop`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel, OpenModel


class AddArgsListItem(OpenModel):
    x: Annotated[str, Field(max_length=1)] | None = None


class AddArgs(ClosedModel):
    """Args of `add`: Add."""

    count: int | None = None
    size: Annotated[int, Field(ge=1)]
    mode: Literal["a", "b"] | None = None
    list_: Annotated[list[AddArgsListItem] | None, Field(alias="list")] = None
    named: Annotated[int, Field(ge=1)] | None = None
    fine: str = ""


AddResult: TypeAlias = JsonValue
