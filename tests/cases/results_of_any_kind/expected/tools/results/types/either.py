"""Types of the tool `either`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Row


class EitherArgs(ClosedModel):
    """Args of `either`: One of two types."""


EitherResult: TypeAlias = Row | str
