"""`toolgen explain`: what a diagnostic means and how to fix it."""

from __future__ import annotations

import textwrap
from difflib import get_close_matches

import click

from toolgen.cli.output import format_option, show_json
from toolgen.compiler.diagnostics.codes import CODES


@click.command("explain")
@click.argument("code", required=False)
@format_option
def command(*, code: str | None, style: str) -> int:
    """Explain the diagnostic CODE, given by number or name. Without CODE, list all diagnostics."""
    if code is None:
        rows = list(CODES.values())
    else:
        by_name = {row.name: row for row in CODES.values()}
        found = CODES.get(code.upper()) or CODES.get(f"TG{code}") or by_name.get(code.lower())
        if found is None:
            near = get_close_matches(code.upper(), CODES, n=1) or get_close_matches(code.lower(), by_name, n=1)
            hint = f" Did you mean `{near[0]}`?" if near else " `toolgen explain` lists them."
            raise click.UsageError(f"There is no diagnostic `{code}`.{hint}")
        rows = [found]
    if style == "json":
        listed = [
            {"code": row.code, "name": row.name, "severity": row.severity.value, "explanation": row.explanation}
            for row in rows
        ]
        show_json(listed if code is None else listed[0])
        return 0
    if code is None:
        for row in rows:
            click.echo(f"{row.code}  {row.severity.value:8} {row.name}")
        return 0
    click.echo(f"{rows[0].code} {rows[0].name} ({rows[0].severity.value})\n")
    click.echo(textwrap.fill(rows[0].explanation, 100))
    return 0
