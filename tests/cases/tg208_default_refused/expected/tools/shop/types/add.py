"""Types of the tool `add`, in `shop`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel, OpenModel


class AddArgsListItem(OpenModel):
    x: str = "long"


class AddArgs(ClosedModel):
    """Args of `add`: Add."""

    count: int | None = None
    size: int
    mode: Literal["a", "b"] | None = None
    list_: Annotated[list[AddArgsListItem] | None, Field(alias="list")] = None
    named: int = -1
    fine: str = ""


AddResult: TypeAlias = JsonValue
