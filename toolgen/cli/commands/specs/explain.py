"""`toolgen explain`: what a diagnostic or a rule of `toolgen diff` means, and how to fix it."""

from __future__ import annotations

import textwrap
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

import click

from toolgen.changes.rules import RULES
from toolgen.cli.output import format_option, show_json
from toolgen.compiler.diagnostics.codes import CODES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.changes.rules import Rule
    from toolgen.compiler.diagnostics.codes import Code

_EVERY: Final[Mapping[str, Code | Rule]] = {**CODES, **RULES}


@click.command("explain")
@click.argument("code", required=False)
@format_option
def command(*, code: str | None, style: str) -> int:
    """Explain CODE, a diagnostic or a rule of `toolgen diff`, given by its number or name. Without CODE, list all."""
    if code is None:
        rows = list(_EVERY.values())
    else:
        by_name = {row.name: row for row in _EVERY.values()}
        found = _EVERY.get(code.upper()) or _EVERY.get(f"TG{code}") or by_name.get(code.lower())
        if found is None:
            near = get_close_matches(code.upper(), _EVERY, n=1) or get_close_matches(code.lower(), by_name, n=1)
            hint = f" Did you mean `{near[0]}`?" if near else " `toolgen explain` lists them."
            raise click.UsageError(f"There is no diagnostic or rule `{code}`.{hint}")
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
            click.echo(f"{row.code:8}  {row.severity.value:10} {row.name}")
        return 0
    click.echo(f"{rows[0].code} {rows[0].name} ({rows[0].severity.value})\n")
    click.echo(textwrap.fill(rows[0].explanation, 100))
    return 0
