"""Fixes of values in YAML and JSON text, as edits; None where an edit could break the text, or change something else.

A named type, and what an alias leads to, may be that of other places, and a comment may be about what is edited.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from toolgen.authoring.lint.view import SpecPlace
from toolgen.authoring.scalars import inline_text, json_text
from toolgen.authoring.text import Fix, TextEdit
from toolgen.compiler.source.nodes import MappingNode, Node, ScalarNode, SequenceNode
from toolgen.spec.text import BLANKS


def replaced(place: SpecPlace, value: Any, title: str) -> Fix | None:
    """Return the fix that writes another value at a place, on one line."""
    node = place.node
    if not place.exists or not _is_plain(node, place):
        return None
    return Fix(title, (TextEdit(place.document.path, node.start, node.end, _written(place, value)),))


def with_keyword(place: SpecPlace, keyword: str, value: Any, title: str) -> Fix | None:
    """Return the fix that adds a keyword to a schema: a mapping, the word of a type, or the name of a named type."""
    node, path = place.node, place.document.path
    if not place.exists or not _is_plain(node, place):
        return None
    written = _written(place, value)
    if isinstance(node, ScalarNode) and isinstance(node.value, str):
        is_named = SpecPlace(place.document, ("types", node.value)).exists
        means = {"$ref": f"#/types/{node.value}"} if is_named else {"type": node.value}
        new = _written(place, {**means, keyword: value})
        return Fix(title, (TextEdit(path, node.start, node.end, new),))
    if not isinstance(node, MappingNode) or not {"type", "format", "$ref"} & set(node.keys()):
        return None
    text = node.source.text
    if text.startswith("{", node.start):
        name = json.dumps(keyword) if _is_json(path) else keyword
        return Fix(title, (TextEdit(path, node.start + 1, node.start + 1, f"{name}: {written}, "),))
    indent = text[_line_start(text, node.start) : node.start]
    if indent.strip(" -") or _is_below_comment(text, node.start):
        return None
    line = f"{keyword}: {written}{node.source.line_end}{' ' * len(indent)}"
    return Fix(title, (TextEdit(path, node.start, node.start, line),))


def without_items(place: SpecPlace, doomed: set[int], title: str) -> Fix | None:
    """Return the fix that removes items of a list by index, not the first: of scalars, or with a line for each."""
    node = place.node
    if not place.exists or place.is_shared or not isinstance(node, SequenceNode) or len(doomed) >= len(node.items):
        return None
    if node.source.text.startswith("[", node.start):
        kept = [item.to_data() for index, item in enumerate(node.items) if index not in doomed]
        return replaced(place, kept, title) if all(isinstance(item, ScalarNode) for item in node.items) else None
    lines = [_lines_of(node.items[index], node.items[index - 1]) for index in sorted(doomed)]
    edits = [TextEdit(place.document.path, *each, "") for each in lines if each]
    return Fix(title, tuple(edits)) if len(edits) == len(doomed) else None


_MARKED: Final = re.compile(r"[\s\[{,:][&!]")
"""The anchor or the tag of a part of a collection, which its value does not have."""

_COMMENT: Final = re.compile(r"(?<![\w\"'])#|#(?!/)")
"""What may begin a comment: all but the `#` of a reference."""

_ITEM: Final = re.compile(r"[ ]*-[ ]+")
_COMMENT_LINE: Final = re.compile(r"[\r\n][ \t]*#")
_REST: Final = re.compile(r"[ \t]*(\r\n|\r|\n|\Z)")


def _lines_of(item: Node, before: Node) -> tuple[int, int] | None:
    """Return the start and the end of the lines of an item of a block list; None if they hold more than that.

    So they do if there is a comment above, below the item `before`.
    """
    text = item.source.text
    end = item.start + len(text[item.start : item.end].rstrip(BLANKS))
    start = _line_start(text, item.start)
    rest = _REST.match(text, end)
    is_whole = _ITEM.fullmatch(text, start, item.start) and rest
    has_more = set("#&") & set(text[start:end]) or _COMMENT_LINE.search(text, before.start, item.start)
    return (start, rest.end()) if rest and is_whole and not has_more else None


def _is_below_comment(text: str, at: int) -> bool:
    """Whether there is a comment on the line above, or above blank lines."""
    above = text[: _line_start(text, at)].rstrip(BLANKS)
    return above[_line_start(above, len(above)) :].lstrip(BLANKS).startswith("#")


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _written(place: SpecPlace, value: Any) -> str:
    return json_text(value) if _is_json(place.document.path) else inline_text(value)


def _is_json(path: str) -> bool:
    return path.lower().endswith(".json")


def _is_plain(node: Node, place: SpecPlace) -> bool:
    """Whether the text of a node is all of it, and of no other place: no anchor, alias, tag, comment, block of text."""
    text = node.source.text[node.start : node.end]
    if place.is_shared or node.source.path != place.document.path or text[:1] in "&*!|>" or not text:
        return False
    before = node.source.text[max(0, node.start - 2) : node.start]
    is_collection = not isinstance(node, ScalarNode)
    return not (is_collection and (_COMMENT.search(text) or _MARKED.search(text))) and not before.endswith("!")
