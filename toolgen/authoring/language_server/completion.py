"""Completion: what is being written at a position, and what may be written there."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.editor_schema import spec_json_schema
from toolgen.authoring.language_server.symbols import Kind, entries, items, named_at
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.documents.evaluation import EVALUATION_HEAD
from toolgen.compiler.resolve.keywords import RAW
from toolgen.compiler.resolve.toolsets.tags import BUILTIN
from toolgen.compiler.source.nodes import MappingNode, Node, ScalarNode, SequenceNode
from toolgen.compiler.source.read import parse
from toolgen.schema.references import name_of_target

if TYPE_CHECKING:
    from toolgen.authoring.language_server.workspace import Index


# Context: where in a spec a position is, also while the text is incomplete.

Step = str | int

_MARK: Final = "toolgenCURSOR"
_WORD_BEFORE: Final = re.compile(r"(?<![\w.*+$#/~-])[\w.*+$#/~-]*\Z")
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


# Keys: what the JSON Schema of spec files says about a place, for completion and hover.

_MODELS: Final = {
    "toolset": "ToolsetFile",
    "agent": "AgentFile",
    "catalog": "CatalogFile",
    "policy": "PolicyFile",
    EVALUATION_HEAD: "EvalFile",
}
_SHARED: Final = "SharedFile"


@cache
def _schema() -> Mapping[str, Any]:
    return spec_json_schema()


def keys_at(data: Any, path: Sequence[Step]) -> dict[str, Mapping[str, Any]]:
    """Return the keys that the mapping at a path may have, with the schema of each value."""
    found: dict[str, Mapping[str, Any]] = {}
    for schema in _schemas_at(data, path):
        for key, value in schema.get("properties", {}).items():
            found.setdefault(key, value)
    return found


def values_at(data: Any, path: Sequence[Step]) -> dict[str, str]:
    """Return the fixed values that may be at a path, each as text, with its description."""
    found: dict[str, str] = {}
    for schema in _schemas_at(data, path):
        text = schema.get("description", "")
        values = [schema["const"]] if "const" in schema else schema.get("enum", [])
        if "boolean" in str(schema.get("type")):
            values = [*values, True, False]
        for value in values:
            found.setdefault(value if isinstance(value, str) else str(value).lower(), text)
        if schema.get("type") == "string":
            for value in schema.get("examples", ()):
                found.setdefault(value, "An example.")
    return found


def description_at(data: Any, path: Sequence[Step]) -> str:
    """Return what the key at the end of a path means; empty if the schema says nothing about it."""
    if not path:
        return ""
    described = keys_at(data, path[:-1]).get(str(path[-1]), {})
    return str(described.get("description", ""))


def _schemas_at(data: Any, path: Sequence[Step]) -> list[Mapping[str, Any]]:
    keys = data.keys() if isinstance(data, dict) else set[str]()
    models = [_MODELS[head] for head in _MODELS if head in keys] or [*_MODELS.values(), _SHARED]
    found = [_schema()["$defs"][model] for model in models]
    for step in path:
        found = [inner for schema in found for inner in _below(schema, data, step)]
        data = _inner(data, step)
    return [each for schema in found for each in _alternatives(schema, data)]


def _below(schema: Mapping[str, Any], data: Any, step: Step) -> Iterator[Mapping[str, Any]]:
    for each in _alternatives(schema, data):
        if isinstance(step, int):
            inner = each.get("items")
        else:
            inner = each.get("properties", {}).get(step, each.get("additionalProperties"))
        if isinstance(inner, dict):
            yield inner


def _alternatives(schema: Mapping[str, Any], data: Any, seen: tuple[str, ...] = ()) -> Iterator[Mapping[str, Any]]:
    """Yield a schema and those that it consists of. A map is JSON Schema or the fields of an object, not both."""
    name = name_of_target(schema.get("$ref"))
    if name == "JsonSchema" and isinstance(data, dict) and RAW.isdisjoint(data):
        return
    if "not" in schema and isinstance(data, dict) and not RAW.isdisjoint(data):
        return
    if name and name not in seen:
        yield from _alternatives(_schema()["$defs"][name], data, (*seen, name))
    yield schema
    for keyword in ("anyOf", "oneOf"):
        for each in schema.get(keyword, ()):
            yield from _alternatives(each, data, seen)


def _inner(data: Any, step: Step) -> Any:
    if isinstance(data, dict):
        return data.get(step)
    return data[step] if isinstance(data, list) and isinstance(step, int) and step < len(data) else None


# Completion: keys, fixed values, and the names of types, methods, tools, toolsets, tags and args.

_ARGS: Final = frozenset({"access", "one_of", "bounded"})
_OF_CALLS: Final = frozenset({"args", "fields"})


@dataclass(frozen=True, slots=True)
class Offer:
    """One completion: the text that is inserted, what it is, and a description in Markdown."""

    text: str
    what: str
    description: str = ""
    is_key: bool = False


def offers_at(path: str, writing: Writing, index: Index) -> list[Offer]:
    """Return what can be written, each text once."""
    found: dict[str, Offer] = {}
    for offer in _offers(path, writing, index):
        found.setdefault(offer.text, offer)
    return list(found.values())


def _offers(path: str, writing: Writing, index: Index) -> Iterator[Offer]:
    data = writing.root.to_data()
    if writing.parent is not None:
        if "selector" in named_at(_keys_of(writing.root), writing.parent, is_key=True):
            yield from _selectors(writing.word, index)
        if writing.parent[0:1] == ("cases",) and writing.parent[-1] in _OF_CALLS:
            yield from _args_of_call(writing, index, writing.parent)
        present = writing.root.at(writing.parent)
        keys = present.keys() if isinstance(present, MappingNode) else ()
        for key, schema in keys_at(data, writing.parent).items():
            if key not in keys:
                yield Offer(key, "key", str(schema.get("description", "")), is_key=True)
    if writing.value:
        yield from _names(path, writing, index, writing.value)
        for text, description in values_at(data, writing.value).items():
            yield Offer(text, "value", description)


def _names(path: str, writing: Writing, index: Index, at: Sequence[Step]) -> Iterator[Offer]:
    """Yield the names that a value may be."""
    key, above = at[-1], at[:-1]
    if key == "$ref":
        section = "methods" if above[:1] == ("methods",) and len(above) == 2 else "types"
        yield from _references(path, index, Kind.METHOD if section == "methods" else Kind.TYPE, section)
    elif kinds := named_at(_keys_of(writing.root), at) - {"schema"}:
        for kind in kinds:
            yield from _named(path, writing.word, index, kind)
    elif at[0] == "cases" and len(at) > 2 and at[-2] == "args":
        yield from _values_of_arg(writing, index, at)
    elif key == "target" or (at[0] == "categories" and len(at) == 4 and at[2] == "actions"):
        yield from _targets(writing, index, at)
    elif at[0] == "tools" and len(at) > 3 and at[2] in _ARGS and key != "next":
        yield from (Offer(name, "arg") for name in _fields(writing.root.at((*at[:2], "args"))))
    elif any("schema" in named_at(_keys_of(writing.root), at[:length]) for length in range(len(at) + 1)):
        yield from _of_file(path, index, Kind.TYPE)


def _args_of_call(writing: Writing, index: Index, at: Sequence[Step]) -> Iterator[Offer]:
    """Yield the args of the tool that a case calls at the path above; those that are there are left out."""
    there = writing.root.at(at)
    written = there.keys() if isinstance(there, MappingNode) else ()
    for name, field in _fields_of_call(writing, index, at[:-1]).items():
        if name not in written:
            description = field.get("description") if isinstance(field, MappingNode) else None
            text = description.value if isinstance(description, ScalarNode) else ""
            yield Offer(name, "arg", str(text or ""), is_key=True)


def _values_of_arg(writing: Writing, index: Index, at: Sequence[Step]) -> Iterator[Offer]:
    field = _fields_of_call(writing, index, at[:-2]).get(str(at[-1]))
    values = field.get("enum") if isinstance(field, MappingNode) else None
    for value in items(values):
        if isinstance(value, ScalarNode) and isinstance(value.value, str):
            yield Offer(value.value, "value")


def _fields_of_call(writing: Writing, index: Index, at: Sequence[Step]) -> dict[str, Node]:
    """Return the args of the tool that the call at a path names, as its spec has them."""
    call = writing.root.at(at)
    ident = call.get("call") if isinstance(call, MappingNode) else None
    tool = index.find(Kind.TOOL, [str(ident.value)]) if isinstance(ident, ScalarNode) else None
    return _fields(tool.node.get("args")) if tool and isinstance(tool.node, MappingNode) else {}


def _fields(args: Node | None) -> dict[str, Node]:
    """Return the fields of args by name, in the short form or in JSON Schema."""
    fields = args.get("properties") if isinstance(args, MappingNode) and "properties" in args.keys() else args
    return {name.rstrip("?!"): field for name, field in entries(fields)}


def _keys_of(root: Node) -> list[str]:
    return [key for key, _ in entries(root)]


def _named(path: str, word: str, index: Index, kind: str) -> Iterator[Offer]:
    """Yield the names of a kind of `NameOf`."""
    match kind:
        case "selector":
            yield from _selectors(word, index)
        case "tag":
            yield from _tags(index)
        case "method":
            yield from _of_file(path, index, Kind.METHOD)
        case _:
            yield from _symbols(index, Kind(kind))


def _references(path: str, index: Index, kind: Kind, section: str) -> Iterator[Offer]:
    for name in index.names(kind):
        file, _, last = name.partition("#")
        where = "" if file == path else posixpath.relpath(file, posixpath.dirname(path) or ".")
        yield Offer(f"{where}#/{section}/{last}", kind.value, "" if file == path else f"In `{file}`.")


def _of_file(path: str, index: Index, kind: Kind) -> Iterator[Offer]:
    for name in index.names(kind):
        file, _, last = name.partition("#")
        if file == path:
            yield Offer(last, kind.value)


def _symbols(index: Index, kind: Kind) -> Iterator[Offer]:
    for name in index.names(kind):
        symbol = index.symbols[kind, name]
        description = symbol.node.get("description") if isinstance(symbol.node, MappingNode) else None
        text = description.value if isinstance(description, ScalarNode) else ""
        yield Offer(name, kind.value, str(text or ""))


def _selectors(word: str, index: Index) -> Iterator[Offer]:
    name, plus, _ = word.rpartition("+")
    if plus:
        yield from (Offer(f"{name}+{tag.text}", tag.what, tag.description) for tag in _tags(index))
        return
    yield from _symbols(index, Kind.TOOLSET)
    yield from _symbols(index, Kind.TOOL)


def _targets(writing: Writing, index: Index, at: Sequence[Step]) -> Iterator[Offer]:
    category = writing.root.at(at[:2])
    homes = [node.get("from") for node in (category, writing.root) if isinstance(node, MappingNode)]
    home = next((str(node.value) for node in homes if isinstance(node, ScalarNode)), "")
    for offer in _symbols(index, Kind.TOOL):
        if home and offer.text.startswith(f"{home}."):
            yield Offer(offer.text.removeprefix(f"{home}."), offer.what, offer.description)
        yield offer


def _tags(index: Index) -> Iterator[Offer]:
    for tag, meaning in BUILTIN.items():
        yield Offer(tag, "tag", meaning)
    for tag in index.names(Kind.TAG):
        node = index.symbols[Kind.TAG, tag].node
        yield Offer(tag, "tag", str(node.value) if isinstance(node, ScalarNode) else "")
