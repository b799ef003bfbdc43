"""`toolgen show`: one tool."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.output import format_option, show_json
from toolgen.cli.packages import import_name
from toolgen.cli.project import compilations, find_tools, project
from toolgen.compiler.diagnostics.diagnostic import nearest
from toolgen.compiler.ir.shapes import ClassRef, ClassType
from toolgen.compiler.ir.text import shape_text
from toolgen.providers.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Tool, Toolset


@click.command("show")
@click.argument("tool")
@format_option
def command(*, tool: str, style: str) -> int:
    """Show TOOL, named in any spelling: its args, its result, and what decides over its calls."""
    config = project()
    made = compilations(config)
    if made is None:
        return 1
    found = {
        each.ident: (compilation.target.out, toolset, each) for compilation, toolset, each in find_tools(made, tool)
    }
    if not found:
        idents = [each.ident for one in made for toolset in one.catalog.toolsets for each in toolset.tools]
        raise click.UsageError(f"There is no tool `{tool}`. {nearest(tool, idents) or 'See `toolgen list`.'}")
    if len(found) > 1:
        raise click.UsageError(f"`{tool}` can be any of {', '.join(found)}.")
    out, toolset, each = next(iter(found.values()))
    if style == "json":
        show_json(_json(toolset, each))
    else:
        _show(".".join((import_name(config.root, out)[1], *toolset.package)), toolset, each)
    return 0


def _json(toolset: Toolset, tool: Tool) -> dict[str, Any]:
    return {
        "tool": tool.ident,
        "source_name": tool.remote or tool.key,
        "wire_name": tool.wire_name or wire_name(tool.ident),
        "toolset": toolset.name,
        "kind": toolset.kind.value,
        "title": tool.title,
        "description": tool.description,
        "permission": tool.permission.value,
        "tags": list(tool.tags),
        "args": tool.args.json,
        "result": tool.result.json,
    }


def _show(package: str, toolset: Toolset, tool: Tool) -> None:
    click.echo(f"{tool.ident} ({toolset.kind.value}, {tool.permission.value})\n\n{tool.description}\n")
    classes = {made.name: made for made in toolset.types if isinstance(made, ClassType)}
    fields = classes[tool.args.shape.name].fields if isinstance(tool.args.shape, ClassRef) else ()
    for field in fields:
        default = f" = {json.dumps(field.default, ensure_ascii=False)}" if field.has_default else ""
        optional = "" if field.required else "?"
        click.echo(f"  {field.wire}{optional}: {shape_text(field.shape)}{default}  {field.description}".rstrip())
    click.echo(f"  -> {shape_text(tool.result.shape)}\n")
    click.echo(f"tags       {', '.join(tool.tags)}")
    click.echo(f"wire name  {tool.wire_name or wire_name(tool.ident)}")
    if tool.remote and tool.remote != tool.key:
        click.echo(f"remote     {tool.remote}")
    click.echo(f"python     from {package} import {tool.names.constant}, {tool.names.args}")
