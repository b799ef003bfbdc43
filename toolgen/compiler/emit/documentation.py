"""`TOOLS.md` for people, and `tool_schemas.json` for other programs."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from toolgen.compiler.emit.annotations import annotation
from toolgen.compiler.emit.literals import first_line
from toolgen.compiler.emit.templates import render
from toolgen.compiler.ir.shapes import ClassRef, ClassType

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Catalog, Tool


def emit_tools_md(catalog: Catalog) -> str:
    """Every tool with its args, as Markdown."""
    toolsets: list[dict[str, Any]] = []
    for toolset in (toolset for toolset in catalog.toolsets if toolset.tools):
        classes = {made.name: made for made in toolset.types if isinstance(made, ClassType)}
        tools = [_tool(tool, classes) for tool in toolset.tools]
        toolsets.append({"name": toolset.name, "description": _paragraphs(toolset.description), "tools": tools})
    return render("tools.md.jinja", {"toolsets": toolsets})


def emit_tool_schemas(catalog: Catalog) -> str:
    """The JSON Schemas of every tool, by ident: `{"args": …, "result": …}`."""
    schemas = {tool.ident: {"args": tool.args.json, "result": tool.result.json} for tool in catalog.tools}
    return json.dumps(schemas, ensure_ascii=False, indent=1) + "\n"


def _tool(tool: Tool, classes: dict[str, ClassType]) -> dict[str, Any]:
    made = classes.get(tool.args.shape.name) if isinstance(tool.args.shape, ClassRef) else None
    return {
        "ident": tool.ident,
        "anchor": re.sub(r"[^a-z0-9_-]", "", tool.ident.lower()),
        "short": _cell(first_line(tool.description)),
        "description": _paragraphs(tool.description),
        "permission": tool.permission.value,
        "tags": ", ".join(tag for tag in tool.tags if tag != tool.permission.value),
        "fields": [
            {
                "name": _code(field.wire),
                "type": _code(annotation(field.shape)),
                "required": "yes" if field.required else "",
                "description": _cell(field.description),
            }
            for field in (made.fields if made else ())
            if field.wire not in tool.inject
        ],
    }


def _cell(text: str) -> str:
    """Text in one cell of a table."""
    return _visible(" ".join(text.split())).replace("|", "\\|").replace("<", "&lt;")


def _code(text: str) -> str:
    """Text as code in one cell of a table, blanks and backticks kept."""
    shown = _visible(text or '""').replace("|", "\\|")
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    blank = " " if f"{shown[0]}{shown[-1]}".strip(" `") != f"{shown[0]}{shown[-1]}" else ""
    return f"{fence}{blank}{shown}{blank}{fence}"


def _paragraphs(text: str) -> str:
    """Text as paragraphs: nothing in it can start a heading, a list or raw HTML of its own."""
    lines = (_visible(line.rstrip()) for line in text.strip().splitlines())
    return "\n".join(
        re.sub(r"^(\s*)([#>`~=-]|[0-9]+[.)]|[*+]\s|<)", r"\1\\\2", line).replace("<", "&lt;") for line in lines
    )


def _visible(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else f"\\u{ord(character):04x}" for character in text)
