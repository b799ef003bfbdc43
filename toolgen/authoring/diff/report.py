"""Report: the changes between two sides as text, JSON, SARIF, annotations of GitHub, and Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.diff.compare import counted
from toolgen.authoring.report import ReportEntry, github_annotations, github_text, sarif_log
from toolgen.changes.rules import RULES, Level
from toolgen.compiler.diagnostics import Related, Severity
from toolgen.compiler.diagnostics.codes import Code
from toolgen.compiler.diagnostics.render import Page
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.authoring.diff.compare import Group, Located, Report
    from toolgen.authoring.diff.sides import Side
    from toolgen.compiler.diagnostics import Span


# Changes as text for people, with carets in the specs of both sides.

SEVERITIES: Final = {
    Level.BREAKING: Severity.ERROR,
    Level.IGNORED: Severity.ERROR,
    Level.CHANGE: Severity.WARNING,
    Level.NOTE: Severity.NOTE,
    Level.COMPATIBLE: Severity.NOTE,
}


def render_text(report: Report, *, color: bool) -> str:
    """Return the report as text; every line ends with a line feed."""
    page = Page({**_sources(report.before), **_sources(report.after)}, color=color)
    several = len({each.package for each in report.changes}) > 1
    for each in report.groups():
        _add(page, each, report, several=several)
    return "\n".join([*page.lines, summary(report), ""])


def summary(report: Report) -> str:
    """Return what was compared, and the number of changes by level and category."""
    sides = visible(f"{report.before.label} -> {report.after.label}")
    if not report.changes:
        return f"{sides}: no changes"
    shown = [each for group in report.groups() for each in (group.first, *group.others)]
    groups = [(level, [each for each in shown if each.change.level is level]) for level in Level]
    parts = [f"{len(found)} {level.value} ({counted(found)})" for level, found in groups if found]
    return f"{sides}: {', '.join(parts)}"


def _add(page: Page, group: Group, report: Report, *, several: bool) -> None:
    located = group.first
    change = located.change
    where = f"{located.package}: " if several else ""
    title = f"{change.level.value}[{change.code} {change.rule.name}]"
    related: list[Related] = []
    first = located.after or located.before
    if located.after and located.before:
        related = [Related(located.before, f"in {report.before.label}")]
    notes = [change.evidence] if change.evidence else []
    notes += [f"{each.change.level.value}[{each.change.code}] {each.change.summary()}" for each in group.parts]
    page.add_finding(title, SEVERITIES[change.level], f"{where}{group.summary()}", first, notes, related)


def _sources(side: Side) -> dict[str, str]:
    return {f"{side.prefix}{path}": text for path, text in side.sources.items()}


# Changes as Markdown, for a comment on a pull request.

_TITLES: Final = {
    Level.BREAKING: "Breaking",
    Level.IGNORED: "Without effect",
    Level.CHANGE: "Changes",
    Level.NOTE: "Notes",
    Level.COMPATIBLE: "Compatible",
}
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~&@:$])")
_MOST: Final = 50_000
"""Characters: a comment on GitHub has at most 65,536."""


def render_markdown(report: Report) -> str:
    """Return the report as Markdown: a section for each level, breaking changes first, additions folded.

    Texts of specs cannot make links, mentions, HTML or tables. A long report is cut, and says so.
    """
    parts = [f"### Tool specs: {_escaped(summary(report))}\n"]
    if report.bump:
        parts.append(f"Version: **{report.bump.value}**\n")
    for level in Level:
        found = [group for group in report.groups() if group.first.change.level is level]
        if found:
            parts += _section(_TITLES[level], found, is_open=level in (Level.BREAKING, Level.IGNORED))
    text, size = list[str](), 0
    for number, part in enumerate(parts):
        if size + len(part) > _MOST:
            text.append(f"\n{len(parts) - number} more lines: run `toolgen diff`.\n")
            break
        text.append(part)
        size += len(part)
    return "\n".join(text)


def _section(title: str, found: Sequence[Group], *, is_open: bool) -> Iterator[str]:
    lines = "\n".join(map(_line, found))
    changes = [each for group in found for each in (group.first, *group.others)]
    count = f"{len(changes)} ({counted(changes)})"
    if is_open:
        yield f"#### {title}: {count}\n\n{lines}\n"
    else:
        yield f"<details><summary>{title}: {count}</summary>\n\n{lines}\n\n</details>\n"


def _line(group: Group) -> str:
    located = group.first
    change = located.change
    evidence = f"; {_escaped(change.evidence)}" if change.evidence else ""
    evidence += "".join(f"; {each.change.code} {_escaped(each.change.summary())}" for each in group.parts)
    place = located.after or located.before
    where = f" ({_escaped(f'{place.file}:{place.line}')})" if place else ""
    return f"- **{change.code}** {_escaped(change.rule.name)}: {_escaped(group.summary())}{evidence}{where}"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", visible(text))


# Changes as records for programs: JSON values, SARIF, and annotations of GitHub.


def to_json(report: Report) -> dict[str, Any]:
    """Return the report as a JSON value."""
    return {
        "before": report.before.label,
        "after": report.after.label,
        "bump": report.bump.value if report.bump else None,
        "changes": [_change(each) for each in report.changes],
    }


def to_sarif(report: Report, folder: str = "") -> dict[str, Any]:
    """Return the report as a SARIF log; `folder` is that of the project in its repository."""
    return sarif_log(_entries(report), _rules(report), folder)


def render_github(report: Report, folder: str = "") -> str:
    """Return the report as annotations of GitHub, and its summary as last line."""
    return f"{github_annotations(_entries(report), folder)}{github_text(summary(report))}\n"


def _entries(report: Report) -> Iterator[ReportEntry]:
    """Yield an entry for each change, at the side after; the side before is related to it if its files are here."""
    for each in report.changes:
        change, before = each.change, each.before
        evidence = f" ({change.evidence})" if change.evidence else ""
        is_here = before is not None and not report.before.prefix
        yield ReportEntry(
            change.code,
            change.rule.name,
            SEVERITIES[change.level],
            f"{change.summary()}{evidence}",
            each.after,
            (Related(before, f"in {report.before.label}"),) if before is not None and is_here else (),
            properties={"category": change.category.value, "package": each.package},
        )


def _rules(report: Report) -> Mapping[str, Code]:
    """Return the rules of a report's changes, by code."""
    used = (RULES[code] for code in sorted({each.change.code for each in report.changes}))
    return {rule.code: Code(rule.code, rule.name, SEVERITIES[rule.severity], rule.explanation) for rule in used}


def _change(located: Located) -> dict[str, Any]:
    change = located.change
    return {
        "code": change.code,
        "name": change.rule.name,
        "category": change.category.value,
        "level": change.level.value,
        "package": located.package,
        "subject": change.subject,
        "message": change.message,
        "evidence": change.evidence,
        "before": {"value": change.before, "place": _place(located.before)},
        "after": {"value": change.after, "place": _place(located.after)},
    }


def _place(span: Span | None) -> dict[str, Any] | None:
    if span is None:
        return None
    return {
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
