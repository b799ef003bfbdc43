"""`toolgen ir`: the resolved intermediate representation (IR) of the specs."""

from __future__ import annotations

import click

from toolgen.cli.names import idents_meant
from toolgen.cli.output import echo
from toolgen.cli.project import compilations, known_tools, project, tools_by_ident
from toolgen.compiler.ir.text import catalog_text, tool_text


@click.command("ir")
@click.argument("tool", required=False)
def command(*, tool: str | None) -> int:
    """Print the intermediate representation of the project, or of one TOOL."""
    made = compilations(project())
    if made is None:
        return 1
    if tool is None:
        for compilation in made:
            echo(catalog_text(compilation.catalog), nl=False)
        return 0
    tools = {ident: each for ident, (_, _, each) in tools_by_ident(made).items()}
    for ident in idents_meant(tool, known_tools(tools.values())):
        echo(tool_text(tools[ident]), nl=False)
    return 0
