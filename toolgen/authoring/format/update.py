"""Updates: the text of a spec with other data or one more entry. What stays keeps its style, no comment is lost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.format.format import formatted, print_tree
from toolgen.authoring.scalars import inline_text, json_text, key_text, scalar_text
from toolgen.authoring.text import comments_of
from toolgen.authoring.tree import BLANK, Tree, TreeEntry, Value, model_of, model_with, read_tree
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.limits import MAX_DEPTH
from toolgen.compiler.source.nodes import MappingNode, Node, SequenceNode
from toolgen.compiler.source.read import parse
from toolgen.schema.json_values import canonical
from toolgen.spec.text import LINE_BREAK, line_end, lines_of, visible, with_line_end

if TYPE_CHECKING:
    from toolgen.compiler.source.read import SpecFile

_Path = tuple[str | int, ...]


_OF_LIMITS: Final = frozenset({"TG002", "TG005", "TG006"})
"""Codes of texts that exceed a limit of spec files."""


class SpecTooLarge(Exception):
    """A spec would exceed a limit of spec files, so that it could not be read again. The message names the limit."""


def new_text(path: str, data: Mapping[str, Any], comment: str) -> str:
    """Return the text of a new spec, with `comment` above; JSON has no comment.

    Raises `SpecTooLarge`, ValueError for NaN, infinities and lone surrogates, which no spec can have, and RuntimeError
    if the text would be read with other values, which is a defect.
    """
    if path.lower().endswith(".json"):
        text = json_text(data, indent=2)
        return formatted(path, text, _parsed(path, text))
    text = to_yaml(data, comment)
    if canonical(_parsed(path, text).to_data()) != canonical(data):
        raise RuntimeError(f"{path}: the text would have other values; nothing was written")
    return text


def to_yaml(data: Any, comment: str = "") -> str:
    """Return a JSON value as the YAML of a new spec, which YAML 1.1 parsers read as the same value.

    A collection that fits goes on one line; text is never folded. Raises TypeError for a value that is not JSON,
    ValueError for NaN, infinities and lone surrogates, `SpecTooLarge` for more than `MAX_DEPTH` levels.
    """
    head = [f"# {visible(line)}".rstrip() for line in lines_of(comment)]
    model = model_with(data) if isinstance(data, dict) else None
    return print_tree(Tree(head, _new_value(data, ())[0], [], has_aliases=False, comments=head), "", model)


def updated_text(file: SpecFile, data: Mapping[str, Any]) -> str:
    """Return the text of a spec with other data, in the line ends of the file; its text if the data are the same.

    Raises as `new_text`, and RuntimeError if the text would lose a comment too.
    """
    if canonical(file.root.to_data()) == canonical(data):
        return file.text
    if file.path.lower().endswith(".json"):
        return with_line_end(new_text(file.path, data, ""), line_end(file.text))
    try:
        text, root = _rewritten(file, data, keeps_aliases=True)
    except RuntimeError:  # entries changed places, so an alias would come before its anchor
        text, root = _rewritten(file, data, keeps_aliases=False)
    if _comments(file.text) - _comments(text):
        raise RuntimeError(f"{file.path}: the update would lose a comment; nothing was written")
    made = formatted(file.path, text, root)  # comments that moved may belong to other entries when they are read again
    return with_line_end(made, line_end(file.text))


def _rewritten(file: SpecFile, data: Mapping[str, Any], *, keeps_aliases: bool) -> tuple[str, Node]:
    """Return the text of a file with other data, and its root. Raises RuntimeError if it would have others."""
    tree = read_tree(file.text, file.root)
    if tree.has_aliases:
        stays = [*_unchanged(tree.root, file.root.to_data(), data)] if keeps_aliases else []
        names = Counter(_anchors(tree.root))
        kept = {value.anchor for value in stays if value.anchor and names[value.anchor] == 1}
        shared = [each for each in stays if (each.text if each.kind == "alias" else each.anchor) in kept]
        _expand(tree.root, {}, set(map(id, shared)))
        tree.has_aliases = bool(kept)
    tree.root = _updated(tree.root, data, ())
    text = print_tree(tree, file.text, model_of(file.root))
    root = _parsed(file.path, text)
    if canonical(root.to_data()) != canonical(data):
        raise RuntimeError(f"{file.path}: the update would write other values; nothing was written")
    return text, root


def _parsed(path: str, text: str) -> Node:
    sink = Diagnostics()
    root = parse(text, path, sink)
    if root is None and (exceeded := [found.message for found in sink if found.code in _OF_LIMITS]):
        raise SpecTooLarge(exceeded[0])
    if root is None and (surrogates := [found.message for found in sink if found.code == "TG008"]):
        raise ValueError(surrogates[0])
    if root is None:
        raise RuntimeError(f"{path}: the text cannot be read again; nothing was written")
    return root


def _comments(text: str) -> Counter[str]:
    return Counter(comment.text for comment in comments_of(text))


def _updated(value: Value, data: Any, path: _Path) -> Value:
    """Return a value with other data. Entries whose data stay are as they were."""
    if value.kind == "collection" and not value.is_list and isinstance(data, dict) and data:
        named = {_name(entry): entry for entry in value.entries}
        pairs = [(key, named.get(key), data[key]) for key in data]
    elif value.kind == "collection" and value.is_list and isinstance(data, list) and data:
        pairs = [("", entry, item) for entry, item in zip(_items(value, data), data, strict=True)]
    elif canonical(_data(value)) == canonical(data):
        return value
    else:
        made, _ = _new_value(data, path)
        made.after = [*made.after, *_comments_in(value)] if made.kind == "collection" and made.entries else made.after
        return made
    entries: list[TreeEntry] = []
    for index, (key, entry, inner) in enumerate(pairs):
        place = (*path, index if value.is_list else key)
        if entry is None:
            name = None if value.is_list else Value("scalar", 0, 0, data=key, text=key)
            entries.append(TreeEntry(name, _new_value(inner, place)[0], 0, 0))
            continue
        lost = [] if _holds(entry.value, inner) else _comments_in(entry.value)
        entry.value = _updated(entry.value, inner, place)
        if not (entry.value.kind == "collection" and entry.value.entries):
            entry.before += lost
        entries.append(entry)
    _hand_over(value, entries)
    value.entries = entries
    return value


def _hand_over(value: Value, entries: list[TreeEntry]) -> None:
    """Give the comments of entries that are gone to the next one that stays, or to the end of the collection."""
    stays = {id(entry) for entry in entries}
    pending: list[str] = []
    for entry in value.entries:
        if id(entry) in stays:
            entry.before[:0] = pending
            pending = []
        else:
            pending += _comments_of(entry)
    value.after[:0] = pending


def _items(value: Value, data: list[Any]) -> list[TreeEntry | None]:
    """Return the entry of a list for each new item: at the same index if there are as many, or with the same data."""
    if len(value.entries) == len(data):
        return list(value.entries)
    free = [(canonical(_data(entry.value)), entry) for entry in value.entries]
    found: list[TreeEntry | None] = []
    for item in data:
        text = canonical(item)
        at = next((index for index, (other, _) in enumerate(free) if other == text), None)
        found.append(None if at is None else free.pop(at)[1])
    return found


_FLOW_HEIGHT: Final = 3
"""Maximum nesting of collections on one line."""


def _new_value(data: Any, path: _Path) -> tuple[Value, int]:
    """Return a new value at a path, and its height in brackets: over `_FLOW_HEIGHT` if they cannot hold it.

    A mapping in brackets holds at most one other: the properties of a schema go on a line each.
    """
    is_list = isinstance(data, list)
    if not is_list and not isinstance(data, dict):
        text = data if isinstance(data, str) else scalar_text(data, in_flow=False)
        return Value("scalar", 0, 0, data=data, text=text), _FLOW_HEIGHT + 1 if "\n" in text else 0
    value = Value("collection", 0, 0, is_list=is_list, is_flow=True)
    if not data:
        return value, 0
    if len(path) >= MAX_DEPTH:
        raise SpecTooLarge(f"the value is nested more than {MAX_DEPTH} levels deep")
    height = mappings = 0
    for key, inner in (("", item) for item in data) if is_list else data.items():
        made, inner_height = _new_value(inner, (*path, key))
        name = None if is_list else Value("scalar", 0, 0, data=key, text=key)
        value.entries.append(TreeEntry(name, made, 0, 0))
        height = max(height, inner_height + 1)
        mappings += not is_list and isinstance(inner, dict) and bool(inner)
    if mappings > 1 or (not is_list and _is_block(path)):
        height = _FLOW_HEIGHT + 1
    value.is_flow = height <= _FLOW_HEIGHT
    return value, height


def _is_block(path: _Path) -> bool:
    """Whether a mapping at a path goes on lines of its own even if it is short: the file, its tools, and each tool."""
    return not path or (path[0] == "tools" and len(path) <= 2)


def _unchanged(value: Value, old: Any, new: Any) -> Iterator[Value]:
    """Return the parts of a value whose data stay, with all that is below them."""
    if canonical(old) == canonical(new):
        yield from _parts(value)
    elif isinstance(old, dict) and isinstance(new, dict):
        for entry in value.entries:
            if (name := _name(entry)) in old.keys() & new.keys():
                yield from _unchanged(entry.value, old[name], new[name])


def _parts(value: Value) -> Iterator[Value]:
    yield value
    for entry in value.entries:
        yield from _parts(entry.value)


def _anchors(value: Value) -> Iterator[str]:
    yield value.anchor
    for entry in value.entries:
        yield entry.key.anchor if entry.key is not None else ""
        yield from _anchors(entry.value)


def _expand(value: Value, anchors: dict[str, Value], kept: Container[int]) -> None:
    """Write aliases out, and forget their anchors: what shares a text now need not stay equal.

    `kept` are the values, by their identity, that keep their anchor, or the aliases that stay.
    """
    for entry in value.entries:
        if entry.key is not None and entry.key.anchor:
            anchors[entry.key.anchor] = replace(entry.key, anchor="")
            entry.key.anchor = ""
        if id(entry.value) in kept and entry.value.kind == "alias":
            entry.value.target = anchors[entry.value.text]
            continue
        if entry.value.kind == "alias":
            data, entry.value = entry.value.data, _without_comments(deepcopy(anchors[entry.value.text]))
            if entry.value.kind == "scalar":
                entry.value.data = data  # keys have none
        name = entry.value.anchor
        if id(entry.value) not in kept:
            entry.value.anchor = ""
        _expand(entry.value, anchors, kept)
        if name:
            anchors[name] = entry.value


def _without_comments(value: Value) -> Value:
    """Take the comments, and the anchors, out of the copy of a value: they stay where they were written."""
    value.after, value.anchor = [], ""
    for entry in value.entries:
        entry.before, entry.trailing = [], []
        _without_comments(entry.value)
    return value


def _holds(value: Value, data: Any) -> bool:
    """Whether a value is updated in place, so that its comments stay where they are."""
    if value.kind != "collection" or not data:
        return canonical(_data(value)) == canonical(data)
    return isinstance(data, list) if value.is_list else isinstance(data, dict)


def _data(value: Value) -> Any:
    if value.target is not None:
        return _data(value.target)
    if value.kind == "scalar":
        return value.data
    if value.is_list:
        return [_data(entry.value) for entry in value.entries]
    return {_name(entry): _data(entry.value) for entry in value.entries}


def _name(entry: TreeEntry) -> str:
    return "" if entry.key is None else entry.key.text


def _comments_of(entry: TreeEntry) -> list[str]:
    return [line for line in entry.before if line != BLANK] + entry.trailing + _comments_in(entry.value)


def _comments_in(value: Value) -> list[str]:
    return [*_of_entries(value), *(line for line in value.after if line != BLANK)]


def _of_entries(value: Value) -> Iterator[str]:
    for entry in value.entries:
        yield from _comments_of(entry)


# Insertions: an entry added to a collection where it stands. All other text stays, byte for byte.

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
    if (
        root is None
        or canonical(root.to_data()) != canonical(expected)
        or _comment_texts(file, text) != _comment_texts(file)
    ):
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
        lead = f"{line_end(file.text)}{line}" if line and not line.strip() else " "
        return last.end, f",{lead}{_on_one_line(file, step, value)}"
    if last is None:
        raise _refusal(parent)
    line = _line(file.text, begins)
    found = _KEY.match(line) if isinstance(step, str) else _ITEM.match(line)
    if found is None or (isinstance(step, str) and found.end() < len(line)):
        raise _refusal(parent)
    indent = " " * found.end()
    made = to_yaml({step: value} if isinstance(step, str) else value).removesuffix("\n").split("\n")
    if not isinstance(step, str):
        made = [f"{'  ' if index else '- '}{each}" if each else "" for index, each in enumerate(made)]
    at = _after(file.text, _end(last))
    end = line_end(file.text)
    lines = "".join(f"{indent}{each}{end}" if each else end for each in made)
    is_open = at > 0 and file.text[at - 1] not in "\r\n"
    return at, f"{end if is_open else ''}{lines}"


def _on_one_line(file: SpecFile, step: str | int, value: Any) -> str:
    if file.path.lower().endswith(".json"):
        return f"{json_text(step)}: {json_text(value)}" if isinstance(step, str) else json_text(value)
    written = inline_text(value)
    return f"{key_text(step, in_flow=True)}: {written}" if isinstance(step, str) else written


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
    found = LINE_BREAK.search(text, at)
    return len(text) if found is None else found.end()


def _put(data: Any, path: Sequence[str | int], value: Any) -> None:
    *above, step = path
    for each in above:
        data = data[each]
    if isinstance(step, str):
        data[step] = value
    else:
        data.append(value)


def _comment_texts(file: SpecFile, text: str | None = None) -> list[str]:
    if file.path.lower().endswith(".json"):
        return []
    return [each.text for each in comments_of(file.text if text is None else text)]


def _refusal(node: Node) -> CannotInsert:
    return CannotInsert(f"{node.span}: nothing can be added to it as it is written: add it by hand")
