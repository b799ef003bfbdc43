"""`toolgen explain`: what a diagnostic, or a rule of `toolgen diff` or `toolgen lint`, means, and how to fix it."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from toolgen.changes.rules import RULES, Rule
from toolgen.cli.output import echo, format_option, show_json
from toolgen.compiler.diagnostics.codes import CODES, LINT_RULES, Code

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics.codes import LintRule


@click.command("explain")
@click.argument("code", required=False)
@format_option
def command(*, code: str | None, output_format: str) -> int:
    """Explain CODE, a diagnostic or a rule, given by its number or name. Without CODE, list all."""
    rows: dict[str, Code | Rule | LintRule] = {**CODES, **RULES, **LINT_RULES}
    if code is None:
        _list(list(rows.values()), output_format)
        return 0
    by_name = {row.name: row.code for row in rows.values()}
    found = next((each for each in (code.upper(), f"TG{code}", by_name.get(code.lower(), "")) if each in rows), None)
    if found is None:
        near = get_close_matches(code.upper(), rows, n=1) or get_close_matches(code.lower(), by_name, n=1)
        hint = f" Did you mean `{near[0]}`?" if near else " `toolgen explain` lists them."
        raise click.UsageError(f"There is no diagnostic or rule `{code}`.{hint}")
    row, examples = _page(found)
    if output_format == "json":
        show_json({**_json(row), "explanation": row.explanation, **({"examples": examples} if examples else {})})
        return 0
    echo(f"{row.code} {row.name} ({row.severity.value})\n")
    paragraphs = [textwrap.fill(" ".join(text.split()), 100) for text in row.explanation.split("\n\n")]
    paragraphs += [f"{kind}:\n\n{textwrap.indent(example, '    ')}" for kind, example in examples.items()]
    echo("\n\n".join(paragraphs))
    return 0


def _page(code: str) -> tuple[Code | Rule, Mapping[str, str]]:
    """Return the row of a code with its explanation, and examples by kind; lint is imported only for its pages."""
    if code in CODES:
        return CODES[code], {}
    if code in RULES:
        return RULES[code], {}
    from toolgen.authoring.lint.registry import examples_of, rule_texts

    return rule_texts()[code], examples_of(code)


def _list(rows: Sequence[Code | Rule | LintRule], output_format: str) -> None:
    if output_format == "json":
        show_json(
            [_json(row) | ({"explanation": row.explanation} if isinstance(row, Code | Rule) else {}) for row in rows]
        )
    else:
        for row in rows:
            echo(f"{row.code:8}  {row.severity.value:10} {row.name}")


def _json(row: Code | Rule | LintRule) -> dict[str, str]:
    return {"code": row.code, "name": row.name, "severity": row.severity.value}
