"""Hover: what a name or a key means, in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.authoring.language_server.completion.context import node_at
from toolgen.authoring.language_server.completion.keys import description_at
from toolgen.authoring.language_server.navigation import short_name, symbol_at
from toolgen.authoring.language_server.symbols import Kind
from toolgen.compiler.resolve.toolsets.tags import BUILTIN
from toolgen.compiler.source.nodes import MappingNode, Node, ScalarNode

if TYPE_CHECKING:
    from toolgen.authoring.language_server.symbols import Symbol
    from toolgen.authoring.language_server.workspace import File, Index

_LINES = 30
"""Maximum number of lines of a definition that are shown."""


def hover_at(index: Index, file: File, offset: int) -> str:
    """Return what is at an offset of a file, in Markdown; empty if nothing is known about it."""
    found = symbol_at(index, file.path, offset)
    if found is not None:
        return _of_symbol(found.symbol)
    for used in file.symbols.used:
        if used.kind is Kind.TAG and used.place.start <= offset <= used.place.end and used.names[0] in BUILTIN:
            return f"**tag `{used.names[0]}`** (built in)\n\n{BUILTIN[used.names[0]]}"
    if file.spec is None:
        return ""
    at = node_at(file.spec.root, offset)
    if not at.on_key:
        return ""
    text = description_at(file.spec.root.to_data(), at.path)
    return f"**`{at.path[-1]}`**\n\n{text}" if text else ""


def _of_symbol(symbol: Symbol) -> str:
    name = symbol.name if symbol.kind is Kind.TOOL else short_name(symbol)
    head = f"**{symbol.kind.value} `{name}`**"
    if symbol.kind is Kind.TAG:
        return f"{head}\n\n{_text(symbol.node)}"
    description = _text(_get(symbol.node, "description"))
    shown = ""
    if symbol.kind is Kind.TOOL:
        permission = _text(_get(symbol.node, "permission"))
        parts = [_quoted(f"{side}:", _get(symbol.node, side)) for side in ("args", "result")]
        shown = "\n".join([f"`{permission}`\n" if permission else "", *filter(None, parts)])
    elif symbol.kind in (Kind.TYPE, Kind.METHOD):
        shown = _quoted(f"{short_name(symbol)}:", symbol.node)
    return "\n\n".join(filter(None, (head, description, shown.strip())))


def _quoted(label: str, node: Node | None) -> str:
    """Return the text of a node as a block of YAML, its first lines if it is long."""
    if node is None:
        return ""
    text = node.source.text
    start = text.rfind("\n", 0, node.start) + 1
    indent = text[start : node.start] if not text[start : node.start].strip() else ""
    lines = [line.removeprefix(indent) for line in f"{indent}{text[node.start : node.end]}".rstrip().split("\n")]
    lines = [f"{label} {lines[0]}"] if len(lines) == 1 else [label, *(f"  {line}" for line in lines)]
    more = [f"# {len(lines) - _LINES} more lines"] if len(lines) > _LINES else []
    fence = "````" if "```" in text else "```"
    return "\n".join([f"{fence}yaml", *lines[:_LINES], *more, fence])


def _get(node: Node, key: str) -> Node | None:
    return node.get(key) if isinstance(node, MappingNode) else None


def _text(node: Node | None) -> str:
    return str(node.value) if isinstance(node, ScalarNode) and node.value is not None else ""
