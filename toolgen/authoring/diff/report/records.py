"""Changes as records for programs: JSON values, SARIF, and annotations of GitHub."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.authoring.diff.report.text import SEVERITIES, summary
from toolgen.authoring.report.entry import Entry
from toolgen.authoring.report.github import github_annotations, github_text
from toolgen.authoring.report.sarif import sarif_log
from toolgen.changes.rules import RULES
from toolgen.compiler.diagnostics import Related
from toolgen.compiler.diagnostics.codes import Code

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolgen.authoring.diff.compare import Located, Report
    from toolgen.compiler.diagnostics import Span


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


def _entries(report: Report) -> Iterator[Entry]:
    """Yield an entry for each change, at the side after; the side before is related to it if its files are here."""
    for each in report.changes:
        change, before = each.change, each.before
        evidence = f" ({change.evidence})" if change.evidence else ""
        is_here = before is not None and not report.before.prefix
        yield Entry(
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
