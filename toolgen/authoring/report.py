"""Reports of findings for other programs: SARIF, and annotations of GitHub."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from toolgen import __version__
from toolgen.compiler.diagnostics import Severity
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.authoring.text import Fix
    from toolgen.compiler.diagnostics import Diagnostic, Related, Span
    from toolgen.compiler.diagnostics.codes import Code


# Entries: what a report says of one finding of lint or one change, whatever its format.


@dataclass(frozen=True, slots=True)
class ReportEntry:
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
) -> Iterator[ReportEntry]:
    """Yield an entry for each diagnostic, with the help as its last line."""
    for found in findings:
        name = rules[found.code].name if found.code in rules else ""
        text = f"{found.message}\nhelp: {found.fix}" if found.fix else found.message
        yield ReportEntry(found.code, name, found.severity, text, found.span, found.related, fixes.get(found))


# Annotations of GitHub: workflow commands, which a job prints and a pull request shows at the lines.
#
# The format: https://docs.github.com/actions/reference/workflow-commands-for-github-actions. Text is escaped as
# GitHub's toolkit escapes it (actions/toolkit, `command.ts`), so that no spec can give a command.

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def github_annotations(entries: Iterable[ReportEntry], folder: str = "") -> str:
    """Return one line for each entry.

    `folder` is that of the project in its repository, which paths are relative to there: empty, or with `/` at its end.
    """
    return "".join(_annotation(each, folder) for each in entries)


def github_text(text: str) -> str:
    """Return a text as one line that gives no command."""
    shown = "%0A".join(visible(line).replace("%", "%25") for line in text.split("\n"))
    return f"%3A{shown[1:]}" if shown.startswith("::") else shown


def _annotation(entry: ReportEntry, folder: str) -> str:
    properties = {"title": f"{entry.code} {entry.name}".rstrip()}
    if (span := entry.span) is not None:
        columns = {"col": str(span.column), "endColumn": str(span.end_column)} if span.line == span.end_line else {}
        properties |= {"file": f"{folder}{span.file}", "line": str(span.line), "endLine": str(span.end_line), **columns}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[entry.severity]} {listed}::{github_text(entry.text)}\n"


def _property(text: str) -> str:
    return github_text(text).replace(":", "%3A").replace(",", "%2C")


# SARIF 2.1.0 (OASIS): findings for code scanning and editors.
#
# The standard: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_BASE: Final = "%SRCROOT%"
"""The name of the top of the repository, which paths are relative to; code scanning knows it."""


def sarif_log(entries: Iterable[ReportEntry], rules: Mapping[str, Code], folder: str = "") -> dict[str, Any]:
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


def _result(entry: ReportEntry, order: Mapping[str, int], folder: str) -> dict[str, Any]:
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
