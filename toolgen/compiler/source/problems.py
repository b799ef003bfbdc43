"""Reporting of problems in one text, by offsets, up to a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.compiler.source.limits import MAX_PROBLEMS

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics, Related
    from toolgen.compiler.source.nodes import Source


class GaveUp(Exception):
    """Parsing cannot continue. The problem has been reported already."""


class Problems:
    """Reports the problems of one text to the sink."""

    def __init__(self, source: Source, sink: Diagnostics) -> None:
        self._source = source
        self._sink = sink
        self._count = 0

    def report(
        self, code: str, start: int, end: int, message: str, *, related: tuple[Related, ...] = (), fix: str = ""
    ) -> None:
        """Report a problem from offset `start` to `end`. Raises GaveUp when the limit is reached."""
        self._sink.report(code, self._source.span(start, end), message, related=related, fix=fix)
        self._count += 1
        if self._count == MAX_PROBLEMS:
            raise GaveUp
