"""Types of the tool `ratio`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class RatioArgs(ClosedModel):
    """Args of `ratio`: A number."""


RatioResult: TypeAlias = int | float
