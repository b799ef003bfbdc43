"""Symbols of spec files: what a file defines and uses, read from its nodes, so that broken files count too."""

from __future__ import annotations

import builtins
import posixpath
import re
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from functools import cache
from typing import Any, Final, cast, get_args, get_origin

from pydantic import BaseModel

from toolgen.authoring.language_server.written import Name, TextRange, WrittenScalar
from toolgen.compiler.documents.base import NameOf, TypeNamePattern
from toolgen.compiler.documents.evaluation import EVALUATION_HEAD, EvalFile
from toolgen.compiler.documents.read import HEADS as MODELS
from toolgen.compiler.resolve.keywords import RAW
from toolgen.compiler.source.nodes import MappingNode, Node, ScalarNode, SequenceNode

_TYPE_NAME: Final = re.compile(TypeNamePattern)
_REFERENCE: Final = re.compile(r"(?P<file>[^#]*)#/(?P<section>types|methods)/(?P<name>[^/]+)")
_DATA: Final = frozenset({"const", "default", "enum", "examples"})
"""Keywords of JSON Schema whose value is data, not a schema."""

HEADS: Final = ("toolset", "agent", "catalog", "policy")
_MODELS: Final[Mapping[str, type[BaseModel]]] = {**MODELS, EVALUATION_HEAD: EvalFile}
"""The models of files by head. One without a head may have the keys of any."""


class Kind(StrEnum):
    """What a symbol is."""

    TOOLSET = "toolset"
    TOOL = "tool"
    TYPE = "type"
    METHOD = "method"
    AGENT = "agent"
    CATALOG = "catalog"
    POLICY = "policy"
    TAG = "tag"
    PATTERN = "pattern"
    """A selector with `*`: it is used where it stands, and defined nowhere."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition. `name` is unique among those of its kind: an ident, or `path#Name` of a type or method."""

    kind: Kind
    name: str
    written: Name
    node: Node

    @property
    def place(self) -> TextRange:
        """Where its name is written."""
        return self.written.place


@dataclass(frozen=True, slots=True)
class Reference:
    """A use of a symbol, where its name is written.

    `names` are the names that it may mean; the first that exists counts. `names_entry` says that what is written names
    an entry of its file too, so that it stays: an action whose target is the tool of its name.
    """

    kind: Kind
    names: tuple[str, ...]
    written: Name
    names_entry: bool = False

    @property
    def place(self) -> TextRange:
        """Where the name is written."""
        return self.written.place


@dataclass(frozen=True, slots=True)
class Symbols:
    """What one file defines and uses."""

    defined: tuple[Symbol, ...]
    used: tuple[Reference, ...]


# Places of names: where the models of spec files have texts that name something.


class _Each(Enum):
    ITEM = "item"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """Where files of one model name something: the steps to it, and a `kind` of `NameOf`; with `is_key`, the keys."""

    steps: tuple[str | _Each, ...]
    kind: str
    is_key: bool = False


@cache
def named_in(model: type[BaseModel]) -> tuple[NamedPlace, ...]:
    """Return the places of a model whose texts are marked as names."""
    return tuple(dict.fromkeys(_named(model, (), ())))


def named_at(keys: Collection[str], path: Sequence[str | int], *, is_key: bool = False) -> set[str]:
    """Return the kinds of names that a value at a path may be, or a key below it, in a file with some keys."""
    return {
        place.kind
        for place in _named_with(keys)
        if place.is_key is is_key and len(place.steps) == len(path) and all(map(_leads, place.steps, path))
    }


def _named_with(keys: Collection[str]) -> Iterable[NamedPlace]:
    """Return the places of names in a file with some keys, each once."""
    models = [model for head, model in _MODELS.items() if head in keys] or _MODELS.values()
    return dict.fromkeys(place for model in models for place in named_in(model))


def _leads(step: str | _Each, to: str | int) -> bool:
    return isinstance(to, int) if step is _Each.ITEM else step in (_Each.VALUE, to)


def _named(annotation: Any, marks: Iterable[Any], steps: tuple[str | _Each, ...]) -> Iterator[NamedPlace]:
    yield from (NamedPlace(steps, mark.kind) for mark in marks if isinstance(mark, NameOf))
    parts = get_args(annotation)
    match get_origin(annotation):
        case None if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            for name, field in annotation.model_fields.items():
                yield from _named(field.annotation, field.metadata, (*steps, field.alias or name))
        case typing.Annotated:
            yield from _named(parts[0], parts[1:], steps)
        case builtins.list:
            yield from _named(parts[0], (), (*steps, _Each.ITEM))
        case builtins.dict:
            yield from (replace(key, is_key=True) for key in _named(parts[0], (), steps))
            yield from _named(parts[1], (), (*steps, _Each.VALUE))
        case _:
            for part in parts:
                yield from _named(part, (), steps)


def _nodes_at(node: Node, steps: Sequence[str | _Each]) -> Iterator[Node]:
    if not steps:
        yield node
        return
    match steps[0]:
        case _Each.ITEM:
            below = items(node)
        case _Each.VALUE:
            below = [value for _, value in entries(node)]
        case key:
            below = [value] if (value := _get(node, key)) is not None else []
    for each in below:
        yield from _nodes_at(each, steps[1:])


def symbols_of(path: str, root: Node) -> Symbols:
    """Return the symbols of a file. What has another form than specs have is passed over."""
    if not isinstance(root, MappingNode):
        return Symbols((), ())
    reader = _SymbolReader(path, root)
    return Symbols(tuple(reader.defined()), tuple(reader.used()))


def entries(node: Node | None) -> list[tuple[str, Node]]:
    """Return the entries of a mapping; none for another node."""
    return node.entries() if isinstance(node, MappingNode) else []


def items(node: Node | None) -> list[Node]:
    """Return the items of a list; none for another node."""
    return list(node.items) if isinstance(node, SequenceNode) else []


class _SymbolReader:
    def __init__(self, path: str, root: MappingNode) -> None:
        self._path = path
        self._root = root
        self._toolset = self._head("toolset")

    def _head(self, key: str) -> str:
        node = self._root.get(key)
        return node.value if isinstance(node, ScalarNode) and isinstance(node.value, str) else ""

    def defined(self) -> Iterator[Symbol]:
        for kind in HEADS:
            node = self._root.get(kind)
            if name := self._head(kind):
                assert node is not None
                yield Symbol(Kind(kind), name, _whole(self._scalar(node, name)), self._root)
        for section, kind, prefix in (
            ("tools", Kind.TOOL, f"{self._toolset}."),
            ("types", Kind.TYPE, f"{self._path}#"),
            ("methods", Kind.METHOD, f"{self._path}#"),
            ("tags", Kind.TAG, ""),
        ):
            section_node = self._root.get(section)
            if isinstance(section_node, MappingNode):
                for key, node in section_node.entries():
                    yield Symbol(kind, f"{prefix}{key}", _whole(self._key(section_node, key)), node)

    def used(self) -> Iterator[Reference]:
        for place in _named_with(self._root.keys()):
            for node in _nodes_at(self._root, place.steps):
                yield from self._of_place(place, node)
        yield from self._of_catalog()

    def _of_place(self, place: NamedPlace, node: Node) -> Iterator[Reference]:
        if place.kind == "schema":
            yield from self._of_schema(node)
        elif place.is_key:
            for key, _ in entries(node):
                yield from self._of_text(place.kind, self._key(cast("MappingNode", node), key))
        elif text := _text_of(node):
            yield from self._of_text(place.kind, self._scalar(node, text))

    def _of_text(self, kind: str, scalar: WrittenScalar) -> Iterator[Reference]:
        match kind:
            case "selector":
                yield from self._selector(scalar)
            case "reference":
                yield from self._reference(scalar)
            case "method":
                yield Reference(Kind.METHOD, (f"{self._path}#{scalar.value}",), _whole(scalar))
            case _:
                yield Reference(Kind(kind), (scalar.value,), _whole(scalar))

    def _of_catalog(self) -> Iterator[Reference]:
        if not self._head("catalog"):
            return
        for _, category in entries(self._root.get("categories")):
            home = _text_of(_get(category, "from")) or self._head("from")
            yield from self._target(_get(category, "target"), home)
            actions = _get(category, "actions")
            for entry, action in entries(actions):
                yield from self._target(_get(action, "target") if isinstance(action, MappingNode) else action, home)
                if isinstance(actions, MappingNode) and isinstance(action, ScalarNode) and action.value is None:
                    written = _whole(self._key(actions, entry))
                    yield Reference(Kind.TOOL, _target_names(entry, home), written, names_entry=True)

    def _target(self, node: Node | None, home: str) -> Iterator[Reference]:
        if name := _text_of(node):
            assert node is not None
            yield Reference(Kind.TOOL, _target_names(name, home), _whole(self._scalar(node, name)))

    def _selector(self, scalar: WrittenScalar) -> Iterator[Reference]:
        name, *tags = scalar.value.split("+")
        kind = Kind.PATTERN if "*" in name else Kind.TOOL
        if name:  # a wire name is one of a tool too
            names = tuple(dict.fromkeys((name, name.replace("__", "."))))
            yield Reference(kind, names, Name(scalar, 0, len(name)))
        at = len(name)
        for tag in tags:
            yield Reference(Kind.TAG, (tag,), Name(scalar, at + 1, at + 1 + len(tag)))
            at += 1 + len(tag)

    def _of_schema(self, node: Node | None) -> Iterator[Reference]:
        """Yield the types that a schema uses, in the short form or in JSON Schema."""
        if isinstance(node, ScalarNode):
            if isinstance(node.value, str) and _TYPE_NAME.fullmatch(node.value):
                yield Reference(Kind.TYPE, (f"{self._path}#{node.value}",), _whole(self._scalar(node, node.value)))
        elif isinstance(node, SequenceNode):
            for item in node.items:
                yield from self._of_schema(item)
        elif isinstance(node, MappingNode):
            if RAW.isdisjoint(node.keys()):
                for _, field in node.entries():
                    yield from self._of_schema(field)
            else:
                yield from self._of_json_schema(node)

    def _of_json_schema(self, node: Node) -> Iterator[Reference]:
        if isinstance(node, SequenceNode):
            for item in node.items:
                yield from self._of_json_schema(item)
        elif isinstance(node, MappingNode):
            if reference := _text_of(node.get("$ref")):
                yield from self._reference(self._scalar(cast("Node", node.get("$ref")), reference))
            for key, inner in node.entries():
                if key not in _DATA:
                    yield from self._of_json_schema(inner)

    def _reference(self, scalar: WrittenScalar) -> Iterator[Reference]:
        if found := _REFERENCE.fullmatch(scalar.value):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(self._path), found["file"]))
            kind = Kind.TYPE if found["section"] == "types" else Kind.METHOD
            names = (f"{path if found['file'] else self._path}#{found['name']}",)
            yield Reference(kind, names, Name(scalar, *found.span("name")))

    def _scalar(self, node: Node, text: str) -> WrittenScalar:
        return WrittenScalar.of(self._path, self._root.source.text, node.start, node.end, text)

    def _key(self, node: MappingNode, key: str) -> WrittenScalar:
        return WrittenScalar.of(self._path, self._root.source.text, *node.key_range(key), key)


def _target_names(name: str, home: str) -> tuple[str, ...]:
    return (f"{home}.{name}", name) if home else (name,)


def _whole(scalar: WrittenScalar) -> Name:
    return Name(scalar, 0, len(scalar.value))


def _get(node: Node | None, key: str) -> Node | None:
    return node.get(key) if isinstance(node, MappingNode) else None


def _text_of(node: Node | None) -> str:
    return node.value if isinstance(node, ScalarNode) and isinstance(node.value, str) else ""
