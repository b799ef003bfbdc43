"""SARIF 2.1.0 (OASIS): findings for code scanning and editors.

The standard: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from toolgen import __version__
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgen.authoring.report.entry import Entry
    from toolgen.authoring.text.edits import Fix
    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.diagnostics.codes import Code

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_BASE: Final = "%SRCROOT%"
"""The name of the top of the repository, which paths are relative to; code scanning knows it."""


def sarif_log(entries: Iterable[Entry], rules: Mapping[str, Code], folder: str = "") -> dict[str, Any]:
    """Return a log with one run. `rules` are those of its entries, by code; their severities are the default levels.

    `folder` is that of the project in its repository: empty, or with `/` at its end.
    """
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
                "results": [_result(each, order, folder) for each in entries],
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


def _result(entry: Entry, order: Mapping[str, int], folder: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": entry.code,
        "level": entry.severity.value,
        "message": {"text": "\n".join(map(visible, entry.text.split("\n")))},
    }
    if entry.code in order:
        result["ruleIndex"] = order[entry.code]
    if entry.span is not None:
        result["locations"] = [{"physicalLocation": _location(entry.span, folder)}]
    if entry.related:
        result["relatedLocations"] = [
            {"id": index, "physicalLocation": _location(each.span, folder), "message": {"text": visible(each.message)}}
            for index, each in enumerate(entry.related, 1)
        ]
    if entry.fix is not None:
        result["fixes"] = [_fix(entry.fix, folder)]
    if entry.properties:
        result["properties"] = dict(entry.properties)
    return result


def _fix(fix: Fix, folder: str) -> dict[str, Any]:
    changes = [
        {
            "artifactLocation": _artifact(file, folder),
            "replacements": [
                {
                    "deletedRegion": {"charOffset": edit.start, "charLength": edit.end - edit.start},
                    "insertedContent": {"text": edit.new_text},
                }
                for edit in fix.edits
                if edit.file == file
            ],
        }
        for file in dict.fromkeys(edit.file for edit in fix.edits)
    ]
    return {"description": {"text": fix.title}, "artifactChanges": changes}


def _location(span: Span, folder: str) -> dict[str, Any]:
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": max(span.end_column, span.column + 1) if span.end_line == span.line else span.end_column,
    }
    return {"artifactLocation": _artifact(span.file, folder), "region": region}


def _artifact(file: str, folder: str) -> dict[str, Any]:
    return {"uri": quote(f"{folder}{file}"), "uriBaseId": _BASE}
