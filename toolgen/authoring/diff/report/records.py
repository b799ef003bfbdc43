"""Changes as JSON values, and as SARIF 2.1.0 (OASIS), which code hosts read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from toolgen import __version__
from toolgen.changes.rules import RULES, Level
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from toolgen.authoring.diff.compare import Located, Report
    from toolgen.compiler.diagnostics import Span

_LEVELS: Final = {
    Level.BREAKING: "error",
    Level.CHANGE: "warning",
    Level.NOTE: "note",
    Level.COMPATIBLE: "note",
}
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def to_json(report: Report) -> dict[str, Any]:
    """Return the report as a JSON value."""
    return {
        "before": report.before.label,
        "after": report.after.label,
        "bump": report.bump.value if report.bump else None,
        "changes": [_change(each) for each in report.changes],
    }


def to_sarif(report: Report, folder: str = "") -> dict[str, Any]:
    """Return the report as a SARIF log of one run. Places are those of the side after, or of no file.

    `folder` is that of the project in its repository, which paths are relative to there.
    """
    used = sorted({each.change.code for each in report.changes})
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "toolgen diff", "version": __version__, "rules": [*map(_rule, used)]}},
                "columnKind": "unicodeCodePoints",
                "results": [_result(each, report, folder) for each in report.changes],
            }
        ],
    }


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


def _rule(code: str) -> dict[str, Any]:
    rule = RULES[code]
    return {
        "id": code,
        "name": rule.name,
        "shortDescription": {"text": rule.explanation},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(located: Located, report: Report, folder: str) -> dict[str, Any]:
    change = located.change
    evidence = f" ({change.evidence})" if change.evidence else ""
    result: dict[str, Any] = {
        "ruleId": change.code,
        "level": _LEVELS[change.level],
        "message": {"text": visible(f"{change.summary()}{evidence}")},
        "properties": {"category": change.category.value, "package": located.package},
    }
    if located.after is not None:
        result["locations"] = [{"physicalLocation": _physical(located.after, folder)}]
    if located.before is not None and not report.before.prefix:
        result["relatedLocations"] = [{"physicalLocation": _physical(located.before, folder)}]
    return result


def _physical(span: Span, folder: str) -> dict[str, Any]:
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    return {"artifactLocation": {"uri": quote(f"{folder}{span.file}")}, "region": region}
