"""Changes as text for people, with carets in the specs of both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.authoring.diff.compare import counted
from toolgen.changes.rules import Level
from toolgen.compiler.diagnostics import Related, Severity
from toolgen.compiler.diagnostics.render import Page
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from toolgen.authoring.diff.compare import Group, Report
    from toolgen.authoring.diff.sides import Side


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
