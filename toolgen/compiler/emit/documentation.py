"""`TOOLS.md`: every tool, for people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.emit.literals import header, literal
from toolgen.compiler.emit.python.annotations import annotation
from toolgen.compiler.emit.templates import render
from toolgen.compiler.ir.shapes import ClassRef, ClassType
from toolgen.compiler.ir.text import facts_of
from toolgen.schema.fields import bounds_of, fields_named
from toolgen.spec.text import lines_of, visible

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Catalog, Schema, Tool, Toolset
    from toolgen.compiler.ir.text import Fact
    from toolgen.schema.fields import SchemaField


_INLINE: Final = re.compile(
    r"(?<!`)(`+)(?!`)[^|]{0,200}?[^`|]\1(?!`)|[\\`*\[\]|~<]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)"
)
"""Characters with a meaning in Markdown inside a line; the group is for code. Within a word `_` is text."""

_BLOCK: Final = re.compile(r"^(\d*)([#>=+-]|(?<=\d)[.)])")
"""Text that starts a block at the beginning of a line."""


def emit_tools_md(catalog: Catalog, sections: Mapping[str, str] | None = None) -> str:
    """Return all tools, with args, results, permissions and limits, as Markdown.

    `sections` are those of `tool_section`, by ident, if they are known.
    """
    parts = [f"# Tools\n\n{header()}\n"]
    for toolset in catalog.toolsets:
        if toolset.tools:
            classes = {made.name: made for made in toolset.types if isinstance(made, ClassType)}
            parts.append(_overview(toolset))
            parts += (sections[tool.ident] if sections else tool_section(tool, classes) for tool in toolset.tools)
    return "".join(parts)


def _overview(toolset: Toolset) -> str:
    tools = [
        {"ident": tool.ident, "anchor": _anchor(tool), "permission": tool.permission.value, "tags": _tags(tool)}
        for tool in toolset.tools
    ]
    described = {"name": toolset.name, "description": _paragraphs(toolset.description), "tools": tools}
    return render("tools.md.jinja", {"toolset": described})


def tool_section(tool: Tool, classes: Mapping[str, ClassType]) -> str:
    """Return the section of one tool; `classes` are those of its toolset."""
    return render("tool.md.jinja", {"tool": _tool(tool, classes)})


def _anchor(tool: Tool) -> str:
    return re.sub(r"[^a-z0-9_-]", "", tool.ident.lower())


def _tags(tool: Tool) -> str:
    return ", ".join(tag for tag in tool.tags if tag != tool.permission.value)


def _tool(tool: Tool, classes: Mapping[str, ClassType]) -> dict[str, Any]:
    args = _fields(tool.args, classes)
    return {
        "ident": tool.ident,
        "description": _paragraphs(tool.description),
        "facts": [_fact(fact) for fact in facts_of(tool) if fact.is_listed],
        "args": [field for field in args if field["wire"] not in tool.inject],
        "result": _code(annotation(tool.result.shape)),
        "results": _fields(tool.result, classes),
    }


def _fact(fact: Fact) -> str:
    return f"- {fact.label}: {', '.join(map(_code, fact.codes)) or _line(fact.text)}"


def _fields(side: Schema, classes: Mapping[str, ClassType]) -> list[dict[str, Any]]:
    """Return the named fields of one side of a tool; empty if it is not an object with named fields."""
    made = classes.get(side.shape.name) if isinstance(side.shape, ClassRef) else None
    if made is None:
        return []
    schemas = fields_named(frozenset(field.wire for field in made.fields), side.json, side.json)
    return [
        {
            "wire": field.wire,
            "name": _code(field.wire),
            "type": _code(annotation(field.shape)),
            "required": "yes" if field.required else "",
            "default": _code(literal(field.default)) if field.has_default else "",
            "bounds": ", ".join(_code(f"{name}: {value}") for name, value in _bounds(schemas, field.wire)),
            "description": _line(field.description),
        }
        for field in made.fields
    ]


def _bounds(schemas: Mapping[str, SchemaField], name: str) -> Iterator[tuple[str, str]]:
    yield from bounds_of(schemas[name].schema) if name in schemas else ()


def _code(text: str) -> str:
    """Return text as code in a table cell, with spaces and backticks."""
    shown = visible(text or '""').replace("|", "\\|")
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    blank = " " if f"{shown[0]}{shown[-1]}".strip(" `") != f"{shown[0]}{shown[-1]}" else ""
    return f"{fence}{blank}{shown}{blank}{fence}"


def _paragraphs(text: str) -> str:
    """Return text as paragraphs, escaped so that it does not start headings, lists or other blocks."""
    return "\n".join(_BLOCK.sub(r"\1\\\2", _line(line)) for line in lines_of(text.strip()))


def _line(text: str) -> str:
    """Return text as one line, escaped except for code in backticks: no link, image, emphasis, table or HTML."""
    return _INLINE.sub(_escaped_markup, visible(" ".join(text.split())))


def _escaped_markup(found: re.Match[str]) -> str:
    if found[1]:
        return found[0]
    return "&lt;" if found[0] == "<" else f"\\{found[0]}"
