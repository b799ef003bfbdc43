"""`TOOLS.md` for people, and `tool_schemas.json` for other programs."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.emit.annotations import annotation
from toolgen.compiler.emit.literals import first_line
from toolgen.compiler.emit.templates import render
from toolgen.compiler.ir.shapes import ClassRef, ClassType

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Catalog, Tool


_INLINE: Final = re.compile(
    r"(?<!`)(`+)(?!`)[^|]{0,200}?[^`|]\1(?!`)|[\\`*\[\]|~<]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)"
)
"""What Markdown may take for its own inside a line; the group is there for code. Within a word `_` is text."""

_BLOCK: Final = re.compile(r"^(\d*)([#>=+-]|(?<=\d)[.)])")
"""What starts a block of its own at the start of a line."""


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
        "short": _line(first_line(tool.description)),
        "description": _paragraphs(tool.description),
        "permission": tool.permission.value,
        "tags": ", ".join(tag for tag in tool.tags if tag != tool.permission.value),
        "fields": [
            {
                "name": _code(field.wire),
                "type": _code(annotation(field.shape)),
                "required": "yes" if field.required else "",
                "description": _line(field.description),
            }
            for field in (made.fields if made else ())
            if field.wire not in tool.inject
        ],
    }


def _code(text: str) -> str:
    """Text as code in one cell of a table, blanks and backticks kept."""
    shown = _visible(text or '""').replace("|", "\\|")
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    blank = " " if f"{shown[0]}{shown[-1]}".strip(" `") != f"{shown[0]}{shown[-1]}" else ""
    return f"{fence}{blank}{shown}{blank}{fence}"


def _paragraphs(text: str) -> str:
    """Text as paragraphs: nothing in it starts a heading, a list or a block of its own."""
    return "\n".join(_BLOCK.sub(r"\1\\\2", _line(line)) for line in text.strip().splitlines())


def _line(text: str) -> str:
    """Text in one line that reads as it is, with code between backticks: no link, image, emphasis, table or HTML."""
    return _INLINE.sub(_text, _visible(" ".join(text.split())))


def _text(found: re.Match[str]) -> str:
    if found[1]:
        return found[0]
    return "&lt;" if found[0] == "<" else f"\\{found[0]}"


def _visible(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else f"\\u{ord(character):04x}" for character in text)
