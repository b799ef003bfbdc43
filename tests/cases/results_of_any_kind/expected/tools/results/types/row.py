"""Types of the tool `row`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Row


class RowArgs(ClosedModel):
    """Args of `row`: One row."""


RowResult: TypeAlias = Row
