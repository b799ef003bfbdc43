"""Types of the tool `grid`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class GridArgs(ClosedModel):
    """Args of `grid`: Rows of numbers."""


GridResult: TypeAlias = list[list[int | float]]
