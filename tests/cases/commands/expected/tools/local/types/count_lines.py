"""Types of the tool `count_lines`, in `local`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel


class CountLinesArgs(ClosedModel):
    path: str


class CountLinesResult(ClosedModel):
    lines: int
