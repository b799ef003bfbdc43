"""Types of the tool `add`, in `shop`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel

from .shared import Item


class AddArgs(ClosedModel):
    items: list[Item]
    note: str | None = None


class AddResult(ClosedModel):
    total: int | float
