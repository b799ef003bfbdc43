"""SARIF 2.1.0 (OASIS): findings for code scanning and editors.

The standard: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from toolgen import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgen.authoring.edits import Fix, TextEdit
    from toolgen.compiler.diagnostics import Diagnostic, Span
    from toolgen.compiler.diagnostics.codes import Code

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_BASE: Final = "%SRCROOT%"
"""The name of the project's folder, which paths are relative to; code scanning knows it."""


def sarif_log(
    findings: Iterable[Diagnostic], rules: Mapping[str, Code], fixes: Mapping[Diagnostic, Fix] | None = None
) -> dict[str, Any]:
    """Return a log with one run. `rules` are all that the run could report, by code; the severities are the levels."""
    fixes = fixes or {}
    order = {code: index for index, code in enumerate(rules)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "toolgen",
                        "version": __version__,
                        "semanticVersion": __version__,
                        "rules": [_rule(row) for row in rules.values()],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(found, order, fixes.get(found)) for found in findings],
            }
        ],
    }


def _rule(row: Code) -> dict[str, Any]:
    summary = row.explanation.partition("\n\n")[0].replace("\n", " ")
    return {
        "id": row.code,
        "name": "".join(word.capitalize() for word in row.name.split("-")),
        "shortDescription": {"text": summary},
        "fullDescription": {"text": row.explanation},
        "defaultConfiguration": {"level": row.severity.value},
    }


def _result(found: Diagnostic, order: Mapping[str, int], fix: Fix | None) -> dict[str, Any]:
    text = found.message if not found.fix else f"{found.message}. Help: {found.fix}"
    result: dict[str, Any] = {
        "ruleId": found.code,
        "level": found.severity.value,
        "message": {"text": text},
        "locations": [{"physicalLocation": _location(found.span)}],
    }
    if found.code in order:
        result["ruleIndex"] = order[found.code]
    if found.related:
        result["relatedLocations"] = [
            {"id": index, "physicalLocation": _location(related.span), "message": {"text": related.message}}
            for index, related in enumerate(found.related, 1)
        ]
    if fix is not None:
        result["fixes"] = [{"description": {"text": fix.title}, "artifactChanges": _changes(fix.edits)}]
    return result


def _changes(edits: Iterable[TextEdit]) -> list[dict[str, Any]]:
    by_file: dict[str, list[TextEdit]] = {}
    for edit in edits:
        by_file.setdefault(edit.file, []).append(edit)
    return [
        {
            "artifactLocation": _artifact(file),
            "replacements": [
                {
                    "deletedRegion": {"charOffset": edit.start, "charLength": edit.end - edit.start},
                    "insertedContent": {"text": edit.new_text},
                }
                for edit in changed
            ],
        }
        for file, changed in by_file.items()
    ]


def _location(span: Span) -> dict[str, Any]:
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": max(span.end_column, span.column + 1) if span.end_line == span.line else span.end_column,
    }
    return {"artifactLocation": _artifact(span.file), "region": region}


def _artifact(file: str) -> dict[str, Any]:
    return {"uri": quote(file), "uriBaseId": _BASE}
