"""Annotations of GitHub: workflow commands, which a job prints and a pull request shows at the lines.

The format: https://docs.github.com/actions/reference/workflow-commands-for-github-actions. Text is escaped as GitHub's
toolkit escapes it (actions/toolkit, `command.ts`), so that no spec can give a command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.compiler.diagnostics import Severity
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgen.authoring.report.entry import Entry

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def github_annotations(entries: Iterable[Entry], folder: str = "") -> str:
    """Return one line for each entry.

    `folder` is that of the project in its repository, which paths are relative to there: empty, or with `/` at its end.
    """
    return "".join(_annotation(each, folder) for each in entries)


def github_text(text: str) -> str:
    """Return a text as one line that gives no command."""
    shown = "%0A".join(visible(line).replace("%", "%25") for line in text.split("\n"))
    return f"%3A{shown[1:]}" if shown.startswith("::") else shown


def _annotation(entry: Entry, folder: str) -> str:
    properties = {"title": f"{entry.code} {entry.name}".rstrip()}
    if (span := entry.span) is not None:
        columns = {"col": str(span.column), "endColumn": str(span.end_column)} if span.line == span.end_line else {}
        properties |= {"file": f"{folder}{span.file}", "line": str(span.line), "endLine": str(span.end_line), **columns}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[entry.severity]} {listed}::{github_text(entry.text)}\n"


def _property(text: str) -> str:
    return github_text(text).replace(":", "%3A").replace(",", "%2C")
