"""Types that several tools share, in `router`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class Remembered(ClosedModel):
    slug: str
    layer: Literal["shared", "agent"]
    created: bool


class Hit(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    score: int | float
    text: str


Slug: TypeAlias = str

MemoryLayer: TypeAlias = Literal["shared", "agent"]
