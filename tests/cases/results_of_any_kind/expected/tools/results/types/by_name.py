"""Types of the tool `by_name`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.models import ClosedModel

from .shared import Row


class ByNameArgs(ClosedModel):
    pass


ByNameResult: TypeAlias = dict[str, Row]
