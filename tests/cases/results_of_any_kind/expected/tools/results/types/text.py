"""Types of the tool `text`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class TextArgs(ClosedModel):
    """Args of `text`: A text."""


TextResult: TypeAlias = str
