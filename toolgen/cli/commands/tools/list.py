"""`toolgen list`: the tools of the project."""

from __future__ import annotations

import click

from toolgen.cli.names import check_toolset
from toolgen.cli.output import format_option, show_json
from toolgen.cli.project import compilations, project


@click.command("list")
@click.option("--toolset", help="Only the tools of this toolset.")
@format_option
def command(*, toolset: str | None, style: str) -> int:
    """List the tools of the project, sorted by ident."""
    made = compilations(project())
    if made is None:
        return 1
    check_toolset(toolset, {each.name for compilation in made for each in compilation.catalog.toolsets})
    rows = {
        tool.ident: {
            "tool": tool.ident,
            "source_name": tool.remote or tool.key,
            "toolset": each.name,
            "kind": each.kind.value,
            "title": tool.title,
            "permission": tool.permission.value,
            "tags": list(tool.tags),
        }
        for compilation in made
        for each in compilation.catalog.toolsets
        for tool in each.tools
        if toolset is None or each.name == toolset
    }
    listed = [rows[ident] for ident in sorted(rows)]
    if style == "json":
        show_json(listed)
        return 0
    width = max((len(ident) for ident in rows), default=0)
    for row in listed:
        click.echo(f"{row['tool']:{width}}  {row['permission']:8}  {row['title']}")
    if not listed:
        click.echo("no tools: write a spec under `specs/`, or run `toolgen init`", err=True)
    return 0
