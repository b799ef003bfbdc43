"""Limits of spec files. Spec text is untrusted: every limit is checked before memory is allocated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.compiler.project.listing import LARGEST

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics, Related
    from toolgen.compiler.source.nodes import Source


MAX_BYTES: Final = LARGEST
"""Maximum size of a file."""

MAX_DEPTH: Final = 200
"""Maximum nesting depth of mappings and lists, aliases followed. Recursion over nodes is safe within it."""

MAX_VALUES: Final = 1_000_000
"""Maximum number of values in a file, with YAML aliases expanded. A typical file of `MAX_BYTES` has half as many."""

TEXT_WEIGHT: Final = 100
"""Characters: YAML text counts as one more value per this many, because aliases can repeat it."""

MAX_DIGITS: Final = 4300
"""Maximum digits of an integer: Python's own default limit for conversion from text."""

MAX_PROBLEMS: Final = 1000
"""Maximum number of reported problems per file: a hostile file could have one per value."""


# Reporting of problems in one text, by offsets, up to a limit.


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
