"""Types of the tool `match`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class MatchArgs(ClosedModel):
    """Args of `match`: A soft keyword."""


MatchResult: TypeAlias = str
