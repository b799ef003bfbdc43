"""`toolgen list`: the tools of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.names import check_toolset
from toolgen.cli.output import echo, format_option, short, show_json
from toolgen.cli.project import project, summaries

if TYPE_CHECKING:
    from toolgen.compiler.cache.summary import ListedTool


@click.command("list")
@click.option("--toolset", help="Only the tools of this toolset.")
@format_option
def command(*, toolset: str | None, output_format: str) -> int:
    """List the tools of the project, sorted by ident."""
    made = summaries(project())
    if made is None:
        return 1
    every = {tool.ident: tool for _, summary in reversed(made) for tool in summary.tools}
    check_toolset(toolset, {name for _, summary in made for name in summary.keys})
    listed = [tool for _, tool in sorted(every.items()) if toolset is None or tool.toolset == toolset]
    if output_format == "json":
        show_json([_json(tool) for tool in listed])
        return 0
    width = max((len(tool.ident) for tool in listed), default=0)
    lines = [f"{tool.ident:{width}}  {tool.permission:8}  {short(tool.description)}".rstrip() for tool in listed]
    if lines:
        echo("\n".join(lines))
    else:
        echo("no tools: write a spec under `specs/`, or run `toolgen init`", err=True)
    return 0


def _json(tool: ListedTool) -> dict[str, Any]:
    return {
        "tool": tool.ident,
        "source_name": tool.source_name,
        "toolset": tool.toolset,
        "kind": tool.kind,
        "title": tool.title,
        "permission": tool.permission,
        "tags": list(tool.tags),
    }
