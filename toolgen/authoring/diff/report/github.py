"""Changes as annotations of GitHub: workflow commands, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.authoring.diff.report.text import summary
from toolgen.changes.rules import Level
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from toolgen.authoring.diff.compare import Located, Report

_COMMANDS: Final = {
    Level.BREAKING: "error",
    Level.CHANGE: "warning",
    Level.NOTE: "notice",
    Level.COMPATIBLE: "notice",
}


def render_github(report: Report, folder: str = "") -> str:
    """Return the report as workflow commands, and its summary as last line.

    `folder` is that of the project in its repository, which paths are relative to there.
    Text is escaped as GitHub's toolkit escapes it (actions/toolkit, `command.ts`), so that no spec can give a command.
    """
    return "".join(f"{_annotation(each, folder)}\n" for each in report.changes) + f"{_data(summary(report))}\n"


def _annotation(located: Located, folder: str) -> str:
    change, span = located.change, located.after
    properties = {"title": f"{change.code} {change.rule.name}"}
    if span is not None:
        end = {"endLine": str(span.end_line)}
        if span.line == span.end_line:
            end |= {"col": str(span.column), "endColumn": str(span.end_column)}
        properties |= {"file": f"{folder}{span.file}", "line": str(span.line), **end}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    evidence = f" ({change.evidence})" if change.evidence else ""
    return f"::{_COMMANDS[change.level]} {listed}::{_data(f'{change.summary()}{evidence}')}"


def _data(text: str) -> str:
    text = visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"%3A{text[1:]}" if text.startswith("::") else text


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
