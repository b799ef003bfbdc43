"""Types that several tools share, in `forms`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class Box(ClosedModel):
    width: Annotated[int, Field(ge=1)]
    height: Annotated[int, Field(ge=1)] | None = None
    label: str
    type_: Annotated[Literal["crate", "carton"], Field(alias="type")]
    enum: list[str] | None = None
    why: Annotated[bool, Field(alias="why!")]


Size: TypeAlias = Annotated[int, Field(ge=1)]
