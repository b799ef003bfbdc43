"""Types of the tool `rows`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Row


class RowsArgs(ClosedModel):
    """Args of `rows`: Rows."""


RowsResult: TypeAlias = list[Row]
