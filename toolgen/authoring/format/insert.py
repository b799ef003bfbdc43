"""Insertions: an entry added to a collection of a spec where it stands. All other text stays, byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.format.update import to_yaml
from toolgen.authoring.scalars import inline_text, key_text
from toolgen.authoring.text import comments_of
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.nodes import MappingNode, Node, SequenceNode
from toolgen.compiler.source.read import parse
from toolgen.schema.json_values import canonical
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from toolgen.compiler.source.read import SpecFile

_BREAK: Final = re.compile(r"\r\n|\r|\n")
_KEY: Final = re.compile(r"[ -]*")
"""What may stand before a key of a block on its line."""

_ITEM: Final = re.compile(r" *(?:- +)*(?=- +$)")
"""What may stand before the dash of an item of a block."""


class CannotInsert(ValueError):
    """The collection is written in a form that nothing is added to. The message has its place."""


def inserted(file: SpecFile, path: Sequence[str | int], value: Any) -> tuple[str, int]:
    """Return the text of a spec with another entry at the end of a collection, and the line of the entry, from 1.

    `path` leads to the entry: its last step is a new key of a mapping, or the number of items of a list. The rest of
    the text stays as it is. Raises `CannotInsert`, also where the text would be read otherwise than expected, and
    ValueError and `SpecTooLarge` for a value that no spec can have.
    """
    *above, step = path
    parent = file.root.at(above)
    if not isinstance(parent, MappingNode if isinstance(step, str) else SequenceNode):
        raise _refusal(parent)
    at, new = _entry(file, parent, step, value)
    text = f"{file.text[:at]}{new}{file.text[at:]}"
    expected = file.root.to_data()
    _put(expected, path, value)
    root = parse(text, file.path, Diagnostics())
    if root is None or canonical(root.to_data()) != canonical(expected) or _comments(file, text) != _comments(file):
        raise _refusal(parent)
    return text, root.span_at(path, key=isinstance(step, str)).line


def _entry(file: SpecFile, parent: MappingNode | SequenceNode, step: str | int, value: Any) -> tuple[int, str]:
    """Return an offset in the text, and what is inserted there."""
    begins = _begins(parent)
    last = _last(parent)
    if file.text.startswith(("{", "["), parent.start):
        if last is None:
            return parent.start + 1, _on_one_line(file, step, value)
        line = _line(file.text, begins)
        lead = f"{_break(file.text)}{line}" if line and not line.strip() else " "
        return last.end, f",{lead}{_on_one_line(file, step, value)}"
    if last is None:
        raise _refusal(parent)
    line = _line(file.text, begins)
    found = (_KEY if isinstance(step, str) else _ITEM).match(line)
    if found is None or (isinstance(step, str) and found.end() < len(line)):
        raise _refusal(parent)
    indent = " " * found.end()
    made = to_yaml({step: value} if isinstance(step, str) else value).removesuffix("\n").split("\n")
    if not isinstance(step, str):
        made = [f"{'  ' if index else '- '}{each}" if each else "" for index, each in enumerate(made)]
    at = _after(file.text, _end(last))
    end = _break(file.text)
    lines = "".join(f"{indent}{each}{end}" if each else end for each in made)
    is_open = at > 0 and file.text[at - 1] not in "\r\n"
    return at, f"{end if is_open else ''}{lines}"


def _on_one_line(file: SpecFile, step: str | int, value: Any) -> str:
    if file.path.lower().endswith(".json"):
        return f"{_json(step)}: {_json(value)}" if isinstance(step, str) else _json(value)
    written = inline_text(value)
    return f"{key_text(step, in_flow=True)}: {written}" if isinstance(step, str) else written


def _json(value: Any) -> str:
    written = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return written if visible(written) == written else json.dumps(value)


def _begins(parent: MappingNode | SequenceNode) -> int:
    """Return where the last entry begins; where the collection does if it has none."""
    if isinstance(parent, MappingNode):
        return parent.key_range(parent.keys()[-1])[0] if parent.keys() else parent.start
    return parent.items[-1].start if parent.items else parent.start


def _last(node: Node) -> Node | None:
    """Return the value of the last entry of a collection; None if there is none."""
    if isinstance(node, MappingNode):
        return node.entries()[-1][1] if node.keys() else None
    return node.items[-1] if isinstance(node, SequenceNode) and node.items else None


def _end(node: Node) -> int:
    """Return where the text of a value ends: the place of a block is up to what follows it."""
    while not node.source.text.startswith(("{", "["), node.start) and (last := _last(node)) is not None:
        node = last
    return node.end


def _line(text: str, at: int) -> str:
    """Return what stands before a place on its line."""
    return text[max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1 : at]


def _after(text: str, at: int) -> int:
    """Return where the line after a place begins; the end of the text if there is none."""
    if at > 0 and text[at - 1] in "\r\n":
        return at
    found = _BREAK.search(text, at)
    return len(text) if found is None else found.end()


def _break(text: str) -> str:
    found = _BREAK.search(text)
    return "\n" if found is None else found[0]


def _put(data: Any, path: Sequence[str | int], value: Any) -> None:
    *above, step = path
    for each in above:
        data = data[each]
    if isinstance(step, str):
        data[step] = value
    else:
        data.append(value)


def _comments(file: SpecFile, text: str | None = None) -> list[str]:
    if file.path.lower().endswith(".json"):
        return []
    return [each.text for each in comments_of(file.text if text is None else text)]


def _refusal(node: Node) -> CannotInsert:
    return CannotInsert(f"{node.span}: nothing can be added to it as it is written: add it by hand")
