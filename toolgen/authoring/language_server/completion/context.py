"""Context: where in a spec a position is, also while the text is incomplete."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.nodes import MappingNode, Node, ScalarNode, SequenceNode
from toolgen.compiler.source.read import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

Step = str | int

_MARK: Final = "toolgenCURSOR"
_WORD_BEFORE: Final = re.compile(r"[\w.*+$#/~-]*$")
_WORD_AFTER: Final = re.compile(r"^[\w.*+$#/~-]*[?!]?")
_BEFORE_KEY: Final = re.compile(r"(?:^|[\[{,?-])[ \t\"']*$", re.MULTILINE)
_CLOSING: Final = {"[": "]", "{": "}"}

_LARGE: Final = 100_000
"""Characters: a longer file is not parsed as a whole for each character that is written."""

_SMALL: Final = 20_000
"""Maximum length of a section of a large file that is parsed with another one."""

_SECTION: Final = re.compile(r"^[^\s#-]", re.MULTILINE)
_BELOW: Final = re.compile(r"(?<=\n) +[^\s#]")


@dataclass(frozen=True, slots=True)
class At:
    """A position in parsed nodes: the path of its value or key, the node, and whether it is on the key."""

    path: tuple[Step, ...]
    node: Node
    on_key: bool


@dataclass(frozen=True, slots=True)
class Writing:
    """What a person is writing at a position.

    `word` is its part before the position, `start` and `end` are the offsets of the whole word. `value` is the path of
    the value that it may be, `parent` that of the mapping of which it may be a key; None if it cannot be. `root` is the
    file with a mark in place of the word; of a large one, what surrounds it.
    """

    word: str
    start: int
    end: int
    value: tuple[Step, ...] | None
    parent: tuple[Step, ...] | None
    root: Node


def node_at(root: Node, offset: int) -> At:
    """Return the innermost node at an offset."""
    path: list[Step] = []
    node = root
    while True:
        if isinstance(node, MappingNode):
            for key, inner in node.entries():
                start, end = node.key_range(key)
                if start <= offset <= end:
                    return At((*path, key), inner, on_key=True)
            step = next((key for key, inner in node.entries() if inner.start <= offset <= inner.end), None)
            inner_node = None if step is None else node.get(step)
            if step is None or inner_node is None:
                return At(tuple(path), node, on_key=False)
            path.append(step)
            node = inner_node
        elif isinstance(node, SequenceNode):
            place = next((at for at, item in enumerate(node.items) if item.start <= offset <= item.end), None)
            if place is None:
                return At(tuple(path), node, on_key=False)
            path.append(place)
            node = node.items[place]
        else:
            return At(tuple(path), node, on_key=False)


def writing_at(path: str, text: str, offset: int) -> Writing | None:
    """Return what is being written at an offset of a text; None if the rest of the text cannot be parsed.

    Of a large file, only what surrounds the offset is parsed: a person who writes waits for the answer.
    """
    if len(text) <= _LARGE or path.lower().endswith(".json"):
        return _writing_at(path, text, offset)
    parts = _surroundings(text, offset)
    own = next(start for start, _ in reversed(parts) if start <= offset)
    moved = own - sum(end - start for start, end in parts if end <= own)
    found = _writing_at(path, "".join(text[start:end] for start, end in parts), offset - moved)
    return None if found is None else replace(found, start=found.start + moved, end=found.end + moved)


def _surroundings(text: str, offset: int) -> list[tuple[int, int]]:
    """Return the parts of a YAML file to parse for an offset: its entry of its section, and sections that are small."""
    found: list[tuple[int, int]] = []
    for start, end in _parts_of(text, 0, len(text), _SECTION):
        if not _holds(start, end, offset, text):
            found += [(start, end)] if end - start <= _SMALL else []
            continue
        below = _BELOW.search(text, start, end)
        entries = [] if below is None else list(_parts_of(text, below.start(), end, _entry(len(below[0]) - 1)))
        found.append((start, entries[0][0] if entries else end))
        found += [each for each in entries if _holds(*each, offset, text)]
    return found


def _holds(start: int, end: int, offset: int, text: str) -> bool:
    """Whether an offset is in a part of a text; the last part has the end of the text."""
    return start <= offset < end or offset == end == len(text)


def _parts_of(text: str, start: int, end: int, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the ranges that begin where a pattern matches; the first one has what is before."""
    starts = [match.start() for match in pattern.finditer(text, start, end) if match.start() > start]
    return pairwise([start, *starts, end])


@cache
def _entry(indent: int) -> re.Pattern[str]:
    """Return what begins an entry with an indentation. Items of lists stay together: their index is their path."""
    return re.compile(rf"^ {{{indent}}}[^\s#-]", re.MULTILINE)


def _writing_at(path: str, text: str, offset: int) -> Writing | None:
    """Return what is being written at an offset of a text.

    The word at the offset is replaced by one that is not in the text, as a value or as a key, with what closes the
    quotes and brackets of its line, and the text is parsed.
    """
    line_start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    line_end = min((at for at in (text.find("\n", offset), text.find("\r", offset)) if at >= 0), default=len(text))
    before, after = text[line_start:offset], text[offset:line_end]
    word_before = _WORD_BEFORE.search(before)
    word_after = _WORD_AFTER.search(after)
    assert word_before is not None
    assert word_after is not None
    start, end = line_start + word_before.start(), offset + word_after.end()
    closing = _unclosed(text[line_start:start])
    value: tuple[Step, ...] | None = None
    parent: tuple[Step, ...] | None = None
    root: Node | None = None
    has_colon = text[end:line_end].lstrip().startswith(":")
    values = [] if has_colon else [_MARK, f"{_MARK}{closing}"]
    keys = [_MARK] if has_colon else [f"{_MARK}: 1", f"{_MARK}: 1{closing}"]
    may_be_key = _BEFORE_KEY.search(text, line_start, start)
    for form in dict.fromkeys([*values, *(keys if may_be_key else [])]):
        parsed = parse(f"{text[:start]}{form}{text[end:]}", path, Diagnostics())
        found = next(_marked(parsed), None) if parsed else None
        if found is None:
            continue
        place, on_key = found
        root = root or parsed
        if on_key and parent is None:
            parent = place[:-1]
        elif not on_key and value is None and form in values:
            value = place
    if root is None:
        return None
    alone = not before[: word_before.start()].strip(" -") and not after[word_after.end() :].strip()
    if value is not None and parent is None and alone:
        parent = value  # the first word of a mapping that is not there yet
    return Writing(text[start:offset], start, end, value, parent, root)


def _unclosed(line: str) -> str:
    """Return what closes the quotes and brackets of flow style that a part of a line opens."""
    quote, stack = "", ""
    previous = " "
    for character in line:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and previous in " [{,:":
            quote = character
        elif character in _CLOSING and (stack or previous == " "):
            stack = _CLOSING[character] + stack
        elif stack and character == stack[0]:
            stack = stack[1:]
        previous = character
    return quote + stack


def _marked(node: Node, path: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], bool]]:
    """Yield the path of the mark, and whether it is a key."""
    if isinstance(node, ScalarNode):
        if node.value == _MARK:
            yield path, False
    elif isinstance(node, SequenceNode):
        for place, item in enumerate(node.items):
            yield from _marked(item, (*path, place))
    elif isinstance(node, MappingNode):
        for key, inner in node.entries():
            if key == _MARK:
                yield (*path, key), True
            yield from _marked(inner, (*path, key))
