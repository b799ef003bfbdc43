"""Types of the tool `by_name`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Row


class ByNameArgs(ClosedModel):
    """Args of `by_name`: Rows by name."""


ByNameResult: TypeAlias = dict[str, Row]
