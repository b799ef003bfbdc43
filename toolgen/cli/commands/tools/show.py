"""`toolgen show`: one tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolgen.authoring.tool_rules import rule_lines, tool_rules
from toolgen.cli.commands.tools.tool_text import args_lines, result_lines
from toolgen.cli.folders import import_name
from toolgen.cli.names import ident_meant
from toolgen.cli.output import echo, format_option, show_json
from toolgen.cli.project import listed_tools, project, summaries
from toolgen.compiler.compile import find_toolset
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Tool, Toolset


@click.command("show")
@click.argument("tool")
@format_option
def command(*, tool: str, style: str) -> int:
    """Show TOOL, given by any of its names: its args, its result, and the rules for its calls."""
    config = project()
    made = summaries(config)
    if made is None:
        return 1
    homes = {each.ident: (target, summary, each) for target, summary in reversed(made) for each in summary.tools}
    target, summary, listed = homes[ident_meant(tool, listed_tools(made))]
    toolset = find_toolset(config, target, summary, listed.toolset)
    each = next(each for each in toolset.tools if each.ident == listed.ident)
    rules = tool_rules(summary.policies, toolset, each)
    if style == "json":
        show_json(_json(toolset, each) | rules)
    else:
        _show(".".join((import_name(config.root, target.out)[1], *toolset.package)), toolset, each)
        echo("\n".join(rule_lines(rules)))
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
    echo(f"{tool.ident} ({toolset.kind.value}, {tool.permission.value})\n\n{tool.description}\n")
    echo("\n".join([*args_lines(toolset, tool.args), *result_lines(toolset, tool.result), ""]))
    echo(f"tags       {', '.join(tool.tags)}")
    echo(f"wire name  {tool.wire_name or wire_name(tool.ident)}")
    if tool.remote and tool.remote != tool.key:
        echo(f"remote     {tool.remote}")
    echo(f"python     from {package} import {tool.names.constant}, {tool.names.args}")
