"""Rendering of diagnostics: as text with the source line and a caret, and as JSON."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.diagnostics.codes import CODES, LINT_RULES, Severity
from toolgen.spec.text import cut, escaped, is_hidden, line_starts, visible

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics.diagnostic import Diagnostic, Related, Span

_TAB: Final = 4
_WINDOW: Final = 100
"""Columns of a source line that are shown; longer lines are cut around the caret."""

_BEFORE_CARET: Final = 60
"""Characters kept before the caret when a line is cut."""

_LONGEST_MESSAGE: Final = 1000
"""Maximum length of a message in characters. A message may quote spec text of any length."""

_BLOCKS: Final = 20
"""Maximum number of blocks that a person is shown."""

_CODES: Final = 6
_NAMED: Final = 3
"""Maximum numbers of codes and places in a line."""

_RESET: Final = "\x1b[0m"
_BOLD: Final = "\x1b[1m"
_BLUE: Final = "\x1b[1;34m"
_COLORS: Final[Mapping[Severity, str]] = {
    Severity.ERROR: "\x1b[1;31m",
    Severity.WARNING: "\x1b[1;33m",
    Severity.NOTE: "\x1b[1;36m",
}


def render_text(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str], *, color: bool) -> str:
    """Render each diagnostic with its source line, and a summary line; empty if there are none.

    `sources` maps the paths of spans to texts; a span of another file is shown without its line. Control and invisible
    characters in messages, paths and source lines are shown as escapes, so that no spec can control the terminal.
    Every line ends with a line feed.
    """
    page = Page(sources, color=color)
    found = list(diagnostics)
    for diagnostic in found:
        page.add(diagnostic)
    if not found:
        return ""
    return "\n".join([*page.lines, summary(found), ""])


def render_listed(
    diagnostics: Iterable[Diagnostic],
    sources: Mapping[str, str],
    *,
    color: bool,
    is_imported: Callable[[Diagnostic], bool],
    known: Collection[str] | None = None,
    everything: str = "",
) -> str:
    """Render diagnostics for a person: all errors, then at most 20 blocks, what is new first; empty if there are none.

    Each error is a block of its own. Warnings and notes with one message are one block, and so are those of one code in
    one file; those of imported tools are one line for each file. `known` are digests of those that are not new, None if
    that is unknown. `everything` is the command that shows all of them.
    """
    found = list(diagnostics)
    if not found:
        return ""
    old = {each for each in found if known is not None and digest(each) in known}
    imported = [each for each in found if is_imported(each)]
    page = Page(sources, color=color)
    for each in sorted(found, key=old.__contains__):
        if each.severity is Severity.ERROR:
            page.add(each)
    others = [each for each in found if each.severity is not Severity.ERROR and not is_imported(each)]
    groups = _grouped(sorted(others, key=old.__contains__))
    ranks = list(Severity)
    ordered = sorted(groups, key=lambda group: (ranks.index(group[0].severity), group[0] in old))
    for group in ordered[:_BLOCKS]:
        page.add(group[0], _others_of(group))
    left_out = [each for group in ordered[_BLOCKS:] for each in group]
    if left_out:
        page.lines += [f"{summary(left_out)} more: `{everything}`", ""]
    by_file = Counter(each.span.file for each in imported)
    for file in by_file:
        own = [each for each in imported if each.span.file == file]
        codes = ", ".join(f"{code} {count}" for code, count in Counter(each.code for each in own).most_common(_CODES))
        more = ", …" if len({each.code for each in own}) > _CODES else ""
        page.lines.append(f"{visible(file)}: {summary(own)} of imported tools ({codes}{more}): `{everything}`")
    if by_file:
        page.lines.append("")
    new = 0 if known is None else len(found) - len(old)
    counts = f"{summary(found)}, {new:,} new since the last time" if new else summary(found)
    if any(len(group) > _NAMED + 1 for group in ordered[:_BLOCKS]):
        counts += f"; all of them: `{everything}`"
    return "\n".join([*page.lines, counts, ""])


def _grouped(found: Sequence[Diagnostic]) -> list[list[Diagnostic]]:
    """Return what is one block each: equal messages wherever they are, and else one code in one file."""
    files: dict[tuple[Severity, str, str, str], set[str]] = {}
    for each in found:
        files.setdefault((each.severity, each.code, each.message, each.fix), set()).add(each.span.file)
    groups: dict[tuple[object, ...], list[Diagnostic]] = {}
    for each in found:
        said = (each.severity, each.code, each.message, each.fix)
        key = said if len(files[said]) > 1 else (each.severity, each.code, each.span.file)
        groups.setdefault(key, []).append(each)
    return list(groups.values())


def _others_of(group: Sequence[Diagnostic]) -> list[str]:
    """Name the first places of a block after that which it shows, with their messages where these differ."""
    first, *more = group
    if not more:
        return []
    rest = f"{len(more)} more {first.code}"
    if all(each.message == first.message for each in more):
        return [f"{rest}: {', '.join(str(each.span) for each in more[:_NAMED])}{', …' if len(more) > _NAMED else ''}"]
    return [f"{rest}:", *(f"  {each.span}: {each.message}" for each in more[:_NAMED]), *["  …"] * (len(more) > _NAMED)]


def render_statistics(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Return how many diagnostics each code has, the most first: code, name, severity and count."""
    found = list(diagnostics)
    severities = {each.code: each.severity.value for each in found}
    return [
        {"code": code, "name": _name(code), "severity": severities[code], "count": count}
        for code, count in Counter(each.code for each in found).most_common()
    ]


def _name(code: str) -> str:
    """Return the name of a code; empty for one of neither diagnostics nor lint."""
    row = CODES.get(code) or LINT_RULES.get(code)
    return row.name if row else ""


def render_concise(diagnostics: Iterable[Diagnostic]) -> str:
    """Render each diagnostic as one line: place, severity, code and message."""
    return "".join(
        f"{visible(str(each.span))}: {each.severity.value}[{each.code}] {_shortened(each.message)}\n"
        for each in diagnostics
    )


def digest(found: Diagnostic) -> str:
    """Return what identifies a diagnostic in another build, where its line may be another one."""
    said = f"{found.code}\n{found.span.file}\n{found.message}"
    return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def render_json(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Return each diagnostic as JSON data: code, name, severity, location, message, related locations and fix."""
    return [
        {
            "code": diagnostic.code,
            "name": _name(diagnostic.code),
            "severity": diagnostic.severity.value,
            **_place(diagnostic.span),
            "message": diagnostic.message,
            "related": [{**_place(related.span), "message": related.message} for related in diagnostic.related],
            "fix": diagnostic.fix,
        }
        for diagnostic in diagnostics
    ]


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """Count them by severity: `2 errors, 1 warning`."""
    counts = Counter(diagnostic.severity for diagnostic in diagnostics)
    return ", ".join(f"{counts[kind]} {kind.value}{'s' * (counts[kind] > 1)}" for kind in Severity if counts[kind])


def _place(span: Span) -> dict[str, Any]:
    return {
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


class Page:
    """The rendered lines."""

    def __init__(self, sources: Mapping[str, str], *, color: bool) -> None:
        self._sources = sources
        self._color = color
        self._starts: dict[str, list[int]] = {}
        self.lines: list[str] = []

    def add(self, diagnostic: Diagnostic, notes: Sequence[str] = ()) -> None:
        """Render one diagnostic, its related locations, more notes, and a blank line."""
        title = f"{diagnostic.severity.value}[{diagnostic.code}]"
        notes = [*([f"help: {diagnostic.fix}"] if diagnostic.fix else []), *notes]
        self.add_finding(title, diagnostic.severity, diagnostic.message, diagnostic.span, notes, diagnostic.related)

    def add_finding(
        self,
        title: str,
        severity: Severity,
        message: str,
        span: Span | None,
        notes: Sequence[str],
        related: Sequence[Related],
    ) -> None:
        """Render one finding, in the color of its severity; a finding without a span is shown without a line."""
        color = _COLORS[severity]
        self.lines.append(self._painted(color, title) + self._painted(_BOLD, f": {_shortened(message)}"))
        spans = [*([span] if span else []), *(each.span for each in related)]
        margin = len(str(max((each.line for each in spans), default=1)))
        if span:
            self._excerpt(span, margin, color, "^")
        if notes and span:
            self.lines.append(self._painted(_BLUE, " " * margin + " |"))
        self.lines += [self._painted(_BLUE, " " * margin + " = ") + _shortened(note) for note in notes]
        for each in related:
            note = self._painted(_COLORS[Severity.NOTE], "note")
            self.lines.append(f"{note}: {_shortened(each.message)}")
            self._excerpt(each.span, margin, _BLUE, "-")
        self.lines.append("")

    def _excerpt(self, span: Span, margin: int, color: str, underline: str) -> None:
        """Render the location of a span, and its first line with the span underlined."""
        indent = " " * margin
        self.lines.append(f"{indent}{self._painted(_BLUE, '-->')} {visible(str(span))}")
        line = self._line(span)
        if line is None:
            return
        end = span.end_column - 1 if span.end_line == span.line else len(line.rstrip())
        shown, before, width = _window(line, span.column - 1, end)
        gutter = self._painted(_BLUE, f"{indent} |")
        self.lines += [
            gutter,
            f"{self._painted(_BLUE, f'{span.line:>{margin}} |')} {shown}".rstrip(),
            f"{gutter} {' ' * before}{self._painted(color, underline * width)}",
        ]

    def _line(self, span: Span) -> str | None:
        text = self._sources.get(span.file)
        if text is None:
            return None
        text = text.removeprefix("\ufeff")
        if span.file not in self._starts:
            self._starts[span.file] = line_starts(text)
        starts = self._starts[span.file]
        if span.line > len(starts):
            return None
        end = starts[span.line] if span.line < len(starts) else len(text)
        return text[starts[span.line - 1] : end].rstrip("\r\n")

    def _painted(self, color: str, text: str) -> str:
        return f"{color}{text}{_RESET}" if self._color else text


def _shortened(message: str) -> str:
    return visible(cut(message, _LONGEST_MESSAGE))


def _window(line: str, start: int, end: int) -> tuple[str, int, int]:
    """Cut a line around the characters from `start` to `end`.

    Returns the text to show, the columns before the underline, and the columns of the underline, at least one.
    """
    left = max(0, min(start - _BEFORE_CARET, len(line) - _WINDOW))
    right = min(len(line), left + _WINDOW)
    shown = "…" if left else ""
    width = before = after = len(shown)
    for position in range(left, right):
        char = line[position]
        cell = " " * (_TAB - width % _TAB) if char == "\t" else escaped(char) if is_hidden(char) else char
        shown += cell
        width += _columns(cell)
        if position < start:
            before = width
        if position < end:
            after = width
    before += max(0, start - right)
    return shown + ("…" if right < len(line) else ""), before, max(1, after - before)


def _columns(cell: str) -> int:
    """The number of terminal columns of one rendered character."""
    if len(cell) > 1 or cell.isascii():
        return len(cell)
    if unicodedata.category(cell) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(cell) in ("W", "F") else 1
