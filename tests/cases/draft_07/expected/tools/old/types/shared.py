"""Types that several tools share, in `old`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class Tree(ClosedModel):
    label: str
    children: list[Tree]


Tag: TypeAlias = str
