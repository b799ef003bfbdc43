"""`toolgen show`: one tool."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.authoring.policy_decisions import decision_lines, policy_decisions, tool_approvers
from toolgen.cli.folders import import_name
from toolgen.cli.names import ident_meant
from toolgen.cli.output import echo, format_option, show_json
from toolgen.cli.project import listed_tools, project, summaries
from toolgen.compiler.compile import find_toolset
from toolgen.compiler.ir.shapes import ClassType, Literals, classes_in
from toolgen.compiler.ir.text import facts_of, shape_text
from toolgen.schema.fields import bounds_of, fields_named, resolved
from toolgen.schema.json_values import is_object
from toolgen.spec.text import visible
from toolgen.spec.tool_settings import KEYS, ToolSettings, as_json
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Schema, Tool, Toolset
    from toolgen.compiler.ir.shapes import Shape

# Tool text: the args and result of a tool as readable text, with the fields of nested types one level deep.

_LONGEST: Final = 60
"""Maximum length in characters of a bound that is shown."""

_LEVELS: Final = 2
"""How many levels of fields are shown: those of the args or result, and those of their types."""


def args_lines(toolset: Toolset, args: Schema) -> list[str]:
    """Format the args of a tool, one line per field."""
    return [*_Side(toolset, args).fields(args.shape, args.json, 1)]


def result_lines(toolset: Toolset, result: Schema) -> list[str]:
    """Format the result of a tool: its shape, and one line per field."""
    side = _Side(toolset, result)
    return [visible(f"  -> {side.value(result.shape, result.json)}"), *side.fields(result.shape, result.json, 2)]


class _Side:
    """One side of a tool: shapes give the fields, and the schema their bounds."""

    def __init__(self, toolset: Toolset, schema: Schema) -> None:
        self._classes = {made.name: made for made in toolset.types if isinstance(made, ClassType)}
        self._schema = schema.json

    def fields(self, shape: Shape, schema: Any, depth: int, levels: int = _LEVELS) -> Iterator[str]:
        """Format the fields of every class in a shape, and the fields of their types; of several, under their names."""
        classes = classes_in(shape)
        if len(classes) == 1:
            yield from self._of_class(next(iter(classes)), schema, depth, levels)
            return
        words = dict.fromkeys(re.findall(r"\w+", shape_text(shape)))
        for name in (word for word in words if word in classes):
            yield visible(f"{'  ' * depth}{name}")
            yield from self._of_class(name, schema, depth + 1, levels)

    def _of_class(self, name: str, schema: Any, depth: int, levels: int) -> Iterator[str]:
        made = self._classes[name]
        schemas = fields_named(frozenset(field.wire for field in made.fields), schema, self._schema)
        for field in made.fields:
            inner: Any = schemas[field.wire].schema if field.wire in schemas else True
            default = f" = {json.dumps(field.default, ensure_ascii=False)}" if field.has_default else ""
            named = f"{field.wire}{'' if field.required else '?'}: {self.value(field.shape, inner)}{default}"
            yield visible(f"{'  ' * depth}{named}  {' '.join(field.description.split())}".rstrip())
            if levels > 1:
                yield from self.fields(field.shape, inner, depth + 1, levels - 1)

    def value(self, shape: Shape, schema: Any) -> str:
        """Format a shape and the bounds of its schema."""
        found = resolved(schema, self._schema)[0]
        found = {**found, **schema} if is_object(found) and is_object(schema) else {}
        bounds = [f"{key} {value}" for key, value in bounds_of(found)]
        if "enum" in found and not isinstance(shape, Literals):
            bounds.insert(0, f"one of {', '.join(map(_text, found['enum']))}")
        shown = ", ".join(bound for bound in bounds if len(bound) <= _LONGEST)
        return f"{shape_text(shape)} ({shown})" if shown else shape_text(shape)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@click.command("show")
@click.argument("tool")
@format_option
def command(*, tool: str, output_format: str) -> int:
    """Show TOOL, given by any of its names: its args, its result, and the rules for its calls."""
    config = project()
    made = summaries(config)
    if made is None:
        return 1
    homes = {each.ident: (target, summary, each) for target, summary in reversed(made) for each in summary.tools}
    target, summary, listed = homes[ident_meant(tool, listed_tools(made))]
    toolset = find_toolset(config, target, summary, listed.toolset)
    each = next(each for each in toolset.tools if each.ident == listed.ident)
    decisions = list(policy_decisions(summary.policies, toolset, each))
    approvers = tool_approvers(summary.policies, toolset, each)
    if output_format == "json":
        who = None if approvers is None else approvers.as_json()
        show_json(_json(toolset, each) | {"policies": decisions, "approvers": who})
    else:
        _show(".".join((import_name(config.root, target.out)[1], *toolset.package)), toolset, each)
        echo("\n".join(decision_lines(decisions)))
        if approvers is not None:
            echo(visible(f"{'approvers':9}  {approvers}"))
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
        **{
            KEYS[each.name].spec or each.name: as_json(getattr(tool, each.name))
            for each in fields(ToolSettings)
            if KEYS[each.name].label and each.name != "source_name"
        },
        "limits": asdict(tool.limits),
    }


def _show(package: str, toolset: Toolset, tool: Tool) -> None:
    echo(f"{tool.ident} ({toolset.kind.value}, {tool.permission.value})\n\n{tool.description}\n")
    echo("\n".join([*args_lines(toolset, tool.args), *result_lines(toolset, tool.result), ""]))
    for fact in facts_of(tool):
        if fact.key != "permission":
            echo(visible(f"{fact.key:9}  {', '.join(fact.codes) or fact.text}"))
    echo(f"python     from {package} import {tool.names.constant}, {tool.names.args}")
