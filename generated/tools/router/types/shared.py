"""Types that several tools share, in `router`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


MemoryLayer: TypeAlias = Literal["shared", "agent"]


class Remembered(ClosedModel):
    slug: str
    layer: MemoryLayer
    created: bool


Slug: TypeAlias = Annotated[str, Field(max_length=64)]
