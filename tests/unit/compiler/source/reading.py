"""Helpers for the tests of this folder: reading a text, and rendering its diagnostics on one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.read import parse

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostic, Span
    from toolgen.compiler.source.nodes import Node


def node_of(text: str | bytes, path: str = "a.yaml") -> Node:
    """Read a text without errors."""
    sink = Diagnostics()
    node = parse(text, path, sink)
    assert [line(found) for found in sink] == []
    assert node is not None
    return node


def data_of(text: str | bytes, path: str = "a.yaml") -> Any:
    return node_of(text, path).to_data()


def problems(text: str | bytes, path: str = "a.yaml") -> list[str]:
    """Return the diagnostics of a text, as `CODE line:column-line:column message [fix]`."""
    sink = Diagnostics()
    parse(text, path, sink)
    return [line(found) for found in sink]


def problem(text: str | bytes, path: str = "a.yaml") -> str:
    """Return the only diagnostic of a text."""
    (found,) = problems(text, path)
    return found


def line(found: Diagnostic) -> str:
    related = "".join(f" ({place(related.span)}: {related.message})" for related in found.related)
    fix = f" [{found.fix}]" if found.fix else ""
    return f"{found.code} {place(found.span)} {found.message}{related}{fix}"


def place(span: Span) -> str:
    return f"{span.line}:{span.column}-{span.end_line}:{span.end_column}"
