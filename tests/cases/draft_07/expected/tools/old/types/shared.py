"""Types that several tools share, in `old`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class Tree(ClosedModel):
    label: Annotated[str, Field(min_length=1)]
    children: list[Tree]


Tag: TypeAlias = Annotated[str, Field(min_length=1)]
