"""Conversion between the compiler's offsets and spans and the protocol's positions and URIs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls import uris
from pygls.workspace import ServerTextPosition

from toolgen.compiler.diagnostics import Severity
from toolgen.compiler.source.nodes import Source

if TYPE_CHECKING:
    from pygls.workspace import PositionCodec

    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.diagnostics.diagnostic import Diagnostic

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}


class Text:
    """A text with its lines. The protocol counts characters of a line in units that client and server agree on."""

    def __init__(self, text: str, codec: PositionCodec) -> None:
        self.text = text
        self._codec = codec
        self._lines = text.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position; one beyond the end of its line is its end."""
        at = self._codec.position_from_client_units(self._lines, position)
        if at.line >= len(self._lines):
            return len(self.text)
        return min(self._starts[at.line] + at.character, self._starts[at.line + 1])

    def range(self, start: int, end: int) -> types.Range:
        """Return the range between two offsets."""
        return self.range_of(Source("", self.text).span(start, end))

    def range_of(self, span: Span) -> types.Range:
        """Return the range of a span."""
        return types.Range(self._position(span.line, span.column), self._position(span.end_line, span.end_column))

    def _position(self, line: int, column: int) -> types.Position:
        if line > len(self._lines):
            return types.Position(line - 1, 0)
        at = ServerTextPosition(line=line - 1, character=column - 1)
        return self._codec.position_to_client_units(self._lines, at)


def path_of(uri: str) -> str:
    """Return the path of a URI; empty if it is not that of a file."""
    return uris.to_fs_path(uri) or ""


def diagnostic_of(found: Diagnostic, text: Text, related: list[types.DiagnosticRelatedInformation]) -> types.Diagnostic:
    """Return a diagnostic for an editor: the message with the fix, and the places that explain it."""
    return types.Diagnostic(
        range=text.range_of(found.span),
        message=f"{found.message}\n{found.fix}" if found.fix else found.message,
        severity=_SEVERITIES[found.severity],
        code=found.code,
        source="toolgen",
        related_information=related or None,
    )
