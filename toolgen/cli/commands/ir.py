"""`toolgen ir`: what the specs mean, after everything is resolved."""

from __future__ import annotations

import click

from toolgen.cli.project import compilations, find_tools, project
from toolgen.compiler.ir.text import catalog_text, tool_text


@click.command("ir")
@click.argument("tool", required=False)
def command(*, tool: str | None) -> int:
    """Print the IR of the project, or of one TOOL."""
    made = compilations(project())
    if made is None:
        return 1
    if tool is None:
        for compilation in made:
            click.echo(catalog_text(compilation.catalog), nl=False)
        return 0
    found = find_tools(made, tool)
    for _, _, each in found:
        click.echo(tool_text(each), nl=False)
    if not found:
        raise click.UsageError(f"There is no tool `{tool}`.")
    return 0
