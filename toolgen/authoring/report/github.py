"""Annotations of GitHub: workflow commands, which a job prints and a pull request shows at the lines.

The format: https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.compiler.diagnostics.codes import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgen.compiler.diagnostics import Diagnostic
    from toolgen.compiler.diagnostics.codes import Code

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def github_annotations(findings: Iterable[Diagnostic], rules: Mapping[str, Code]) -> str:
    """Return one line for each finding. Nothing in a message can start another command: line ends are escaped."""
    return "".join(_annotation(found, rules) for found in findings)


def _annotation(found: Diagnostic, rules: Mapping[str, Code]) -> str:
    span = found.span
    row = rules.get(found.code)
    properties = {
        "file": span.file,
        "line": span.line,
        "endLine": span.end_line,
        **({"col": span.column, "endColumn": span.end_column} if span.line == span.end_line else {}),
        "title": f"{found.code} {row.name}" if row else found.code,
    }
    written = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    text = found.message if not found.fix else f"{found.message}\nhelp: {found.fix}"
    return f"::{_COMMANDS[found.severity]} {written}::{_data(text)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
