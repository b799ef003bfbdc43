"""Entries: what a report says of one finding of lint or one change, whatever its format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from toolgen.authoring.text.edits import Fix
    from toolgen.compiler.diagnostics import Diagnostic, Related, Severity, Span
    from toolgen.compiler.diagnostics.codes import Code


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a report. `name` is that of its rule; `properties` are more about it, for programs.

    Without a span it is about no place of the present files.
    """

    code: str
    name: str
    severity: Severity
    text: str
    span: Span | None = None
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    properties: Mapping[str, str] = field(default_factory=dict[str, str])


def entries_of(
    findings: Iterable[Diagnostic], rules: Mapping[str, Code], fixes: Mapping[Diagnostic, Fix]
) -> Iterator[Entry]:
    """Yield an entry for each diagnostic, with the help as its last line."""
    for found in findings:
        name = rules[found.code].name if found.code in rules else ""
        text = f"{found.message}\nhelp: {found.fix}" if found.fix else found.message
        yield Entry(found.code, name, found.severity, text, found.span, found.related, fixes.get(found))
