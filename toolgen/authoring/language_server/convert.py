"""Conversion between the compiler's offsets and spans and the protocol's positions and URIs."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from lsprotocol import types
from pygls import uris

from toolgen.compiler.diagnostics import Severity
from toolgen.spec.lines import line_starts

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.diagnostics.diagnostic import Diagnostic

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}

_UTF_8: Final = (re.compile("[^\0-\x7f]"), re.compile("[^\0-\u07ff]"), re.compile("[^\0-\uffff]"))
_WIDE: Final[Mapping[str | None, tuple[re.Pattern[str], ...]]] = {
    types.PositionEncodingKind.Utf8: _UTF_8,
    types.PositionEncodingKind.Utf16: (re.compile("[^\0-\uffff]"),),
    types.PositionEncodingKind.Utf32: (),
}
"""Which characters take more than one unit, by encoding: one more for each pattern that they match."""


class IndexedText:
    """A text with an index of its lines, made once: a conversion takes logarithmic time.

    A line ends at LF, CR LF or CR, as the protocol says, and at no other character: an editor and the server would
    mean different lines. The protocol counts characters of a line in units that both have agreed on.
    """

    def __init__(self, text: str, encoding: str | None) -> None:
        self.text = text
        self._starts = line_starts(text)
        patterns = () if text.isascii() else _WIDE.get(encoding, _WIDE[types.PositionEncodingKind.Utf16])
        self._wide = [[match.start() for match in pattern.finditer(text)] for pattern in patterns]

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position; one beyond the end of its line, or of the text, is that end."""
        if position.line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[position.line], self._end_of(position.line)
        wanted = self._units(start) + position.character
        return start + bisect_right(range(start, end + 1), wanted, key=self._units) - 1

    def range(self, start: int, end: int) -> types.Range:
        """Return the range between two offsets."""
        return types.Range(self._position(start), self._position(end))

    def range_of(self, span: Span) -> types.Range:
        """Return the range of a span."""
        return types.Range(self._position_of(span.line, span.column), self._position_of(span.end_line, span.end_column))

    def edited(self, edited: types.Range, text: str) -> str:
        """Return the text after an edit of a range."""
        return f"{self.text[: self.offset(edited.start)]}{text}{self.text[self.offset(edited.end) :]}"

    def _end_of(self, line: int) -> int:
        """Return where a line ends, without its break."""
        if line + 1 == len(self._starts):
            return len(self.text)
        end = self._starts[line + 1] - 1
        return end - 1 if self.text[max(end - 1, self._starts[line]) : end + 1] == "\r\n" else end

    def _units(self, offset: int) -> int:
        """Return how many units are before an offset."""
        return offset + sum(bisect_left(each, offset) for each in self._wide)

    def _position(self, offset: int) -> types.Position:
        line = bisect_right(self._starts, offset) - 1
        return types.Position(line, self._units(offset) - self._units(self._starts[line]))

    def _position_of(self, line: int, column: int) -> types.Position:
        if line > len(self._starts):
            return types.Position(line - 1, 0)
        start = self._starts[line - 1]
        return types.Position(line - 1, self._units(start + column - 1) - self._units(start))


@lru_cache(maxsize=32)
def indexed(text: str, encoding: str | None) -> IndexedText:
    """Return a text with its index; those of the last texts are kept."""
    return IndexedText(text, encoding)


def path_of(uri: str) -> str:
    """Return the path of a URI; empty if it is not that of a file."""
    return uris.to_fs_path(uri) or ""


def diagnostic_of(
    found: Diagnostic, text: IndexedText, related: list[types.DiagnosticRelatedInformation]
) -> types.Diagnostic:
    """Return a diagnostic for an editor: the message with the fix, and the places that explain it."""
    return types.Diagnostic(
        range=text.range_of(found.span),
        message=f"{found.message}\n{found.fix}" if found.fix else found.message,
        severity=_SEVERITIES[found.severity],
        code=found.code,
        source="toolgen",
        related_information=related or None,
    )
