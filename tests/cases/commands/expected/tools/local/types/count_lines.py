"""Types of the tool `count_lines`, in `local`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class CountLinesArgs(ClosedModel):
    """Args of `count_lines`: Count the lines of a file."""

    path: str


class CountLinesResult(ClosedModel):
    """Result of `count_lines`: Count the lines of a file."""

    lines: int
