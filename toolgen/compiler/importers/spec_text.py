"""The text of an updated spec. Unchanged parts stay as they were written, including comments."""

from __future__ import annotations

import json
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.text import line_starts
from toolgen.compiler.source.nodes import MappingNode
from toolgen.compiler.source.read import SpecFile, parse
from toolgen.compiler.source.write import to_yaml
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.importers.update import Update
    from toolgen.compiler.source.nodes import Node


_HEAD: Final = ("kind", "description", "tags", "imported", "dialect", "server", "api", "types")
"""The entries beside the tools that an import writes."""


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
    for key in _HEAD:
        file = _with_entry(file, update.data, key)
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
    present: Mapping[str, Any] = tools.to_data()
    for key, tool in update.data["tools"].items():
        if key not in present or canonical(present[key]) != canonical(tool):
            above = "".join(takewhile(_is_comment, blocks.get(key, "").splitlines(keepends=True)))
            blocks[key] = above + _block(key, tool)
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


def _with_entry(file: SpecFile, data: Mapping[str, Any], key: str) -> SpecFile:
    """Return the file with a changed entry of its head. `_says` detects incorrect results."""
    present = file.root.child(key)
    found = None if present is None else present.to_data()
    if found == data.get(key) or file.root.child("tools") is None:
        return file
    lines = _lines(file.text)
    blank = "\n" if key == "types" else ""
    written = to_yaml({key: data[key]}) + blank if key in data else ""
    if present is not None:
        start, end = file.root.span_at((key,), key=True).line - 1, _end_of(lines, present, blanks=bool(blank))
    else:
        order = list(data)
        after = next(name for name in order[order.index(key) + 1 :] if file.root.child(name) is not None)
        start = end = _with_comments(lines, file.root.span_at((after,), key=True).line - 1)
    text = "".join((*lines[:start], written, *lines[end:]))
    root = parse(text, file.path, Diagnostics())
    return file if root is None else SpecFile(file.path, text, root)


def _end_of(lines: list[str], node: Node, *, blanks: bool = True) -> int:
    """Return the line after a node, or after the last entry of a mapping, and after the blank lines below it."""
    last = node.entries()[-1][1].span if isinstance(node, MappingNode) and node.keys() else node.span
    line = last.end_line if last.end_column > 1 else last.end_line - 1
    while blanks and line < len(lines) and not lines[line].strip():
        line += 1
    return line


def _block(key: str, tool: Mapping[str, Any]) -> str:
    """Return the lines of one tool, as in a whole file."""
    return to_yaml({"tools": {key: tool}}).partition("\n")[2]
