"""The text of an updated spec. Unchanged parts stay as they were written, including comments."""

from __future__ import annotations

import json
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Any

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.text import line_starts
from toolgen.compiler.source.nodes import MappingNode
from toolgen.compiler.source.read import SpecFile, parse
from toolgen.compiler.source.write import to_yaml
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.importers.update import Update


def new_text(path: str, data: Mapping[str, Any], comment: str) -> str:
    """Return the text of a new spec; JSON has no comment."""
    if path.endswith(".json"):
        return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    return to_yaml(data, comment=comment)


def updated_text(file: SpecFile, update: Update) -> str:
    """Return the updated text of a spec: tool by tool if the format of the file allows it, else as a whole."""
    if canonical(file.root.to_data()) == canonical(update.data):
        return file.text
    patched = _patched(file, update)
    if patched is not None and _says(patched, file.path, update.data):
        return patched
    return new_text(file.path, update.data, _head_comment(file.text))


def _says(text: str, path: str, data: Mapping[str, Any]) -> bool:
    root = parse(text, path, Diagnostics())
    return root is not None and canonical(root.to_data()) == canonical(data)


def _head_comment(text: str) -> str:
    lines: list[str] = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").removeprefix(" "))
    return "\n".join(lines)


def _patched(file: SpecFile, update: Update) -> str | None:
    """Replace the lines of changed tools. None if there are no tools."""
    file = _with_types(file, update.data)
    tools = file.root.child("tools")
    if not isinstance(tools, MappingNode) or not tools.keys():
        return None
    lines = _lines(file.text)
    starts = [_with_comments(lines, tools.key_span(key).line - 1) for key in tools.keys()]
    end = _end_of(lines, tools)
    blocks = {
        key: "".join(lines[start:stop])
        for key, (start, stop) in zip(tools.keys(), pairwise([*starts, end]), strict=True)
    }
    for key in (*update.added, *update.changed):
        above = "".join(takewhile(_is_comment, blocks.get(key, "").splitlines(keepends=True)))
        blocks[key] = above + _block(key, update.data["tools"][key])
    texts = [blocks[key] for key in update.data["tools"]]
    separated = "".join(f"{text.rstrip()}\n\n" for text in texts)
    rest = "".join(lines[end:])
    return "".join(lines[: starts[0]]) + (separated + rest if rest else separated.removesuffix("\n"))


def _lines(text: str) -> list[str]:
    """Return the lines of a text, as counted by spans, with their ends."""
    return [text[start:end] for start, end in pairwise([*line_starts(text), len(text)])]


def _with_comments(lines: list[str], line: int) -> int:
    """Return the line where a key starts, including the comments directly above it."""
    while line > 0 and _is_comment(lines[line - 1]):
        line -= 1
    return line


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _with_types(file: SpecFile, data: Mapping[str, Any]) -> SpecFile:
    """Return the file with changed types. `_says` detects incorrect results."""
    types, tools = file.root.child("types"), file.root.child("tools")
    found = {} if types is None else types.to_data()
    if found == data.get("types", {}) or tools is None:
        return file
    lines = _lines(file.text)
    written = to_yaml({"types": data["types"]}) + "\n" if "types" in data else ""
    start = end = _with_comments(lines, file.root.span_at(("tools",), key=True).line - 1)
    if isinstance(types, MappingNode) and types.keys():
        start, end = file.root.span_at(("types",), key=True).line - 1, _end_of(lines, types)
    text = "".join((*lines[:start], written, *lines[end:]))
    root = parse(text, file.path, Diagnostics())
    return file if root is None else SpecFile(file.path, text, root)


def _end_of(lines: list[str], mapping: MappingNode) -> int:
    """Return the line after the last entry of a mapping and the blank lines below it."""
    last = mapping.entries()[-1][1].span
    line = last.end_line if last.end_column > 1 else last.end_line - 1
    while line < len(lines) and not lines[line].strip():
        line += 1
    return line


def _block(key: str, tool: Mapping[str, Any]) -> str:
    """Return the lines of one tool, as in a whole file."""
    return to_yaml({"tools": {key: tool}}).partition("\n")[2]
