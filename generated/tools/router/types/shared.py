"""Types that several tools share, in `router`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class Remembered(ClosedModel):
    slug: str
    layer: Literal["shared", "agent"]
    created: bool


Slug: TypeAlias = str

MemoryLayer: TypeAlias = Literal["shared", "agent"]
