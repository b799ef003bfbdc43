"""Symbols of spec files: what a file defines and uses, read from its nodes, so that broken files count too."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from toolgen.authoring.language_server.written import Name, TextRange, WrittenScalar
from toolgen.compiler.documents.base import TypeNamePattern
from toolgen.compiler.documents.evaluation import EVALUATION_HEAD
from toolgen.compiler.resolve.keywords import RAW
from toolgen.compiler.source.nodes import MappingNode, Node, ScalarNode, SequenceNode

_TYPE_NAME: Final = re.compile(TypeNamePattern)
_REFERENCE: Final = re.compile(r"(?P<file>[^#]*)#/(?P<section>types|methods)/(?P<name>[^/]+)")
_DATA: Final = frozenset({"const", "default", "enum", "examples"})
"""Keywords of JSON Schema whose value is data, not a schema."""

HEADS: Final = ("toolset", "agent", "catalog", "policy")


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
        for _, schema in entries(self._root.get("types")):
            yield from self._of_schema(schema)
        for _, method in entries(self._root.get("methods")):
            yield from self._of_reference(method)
            for side in ("payload", "result"):
                yield from self._of_schema(_get(method, side))
        yield from self._tags(_get(self._root.get("defaults"), "tags"))
        for _, tool in entries(self._root.get("tools")):
            yield from self._of_tool(tool)
        for section in ("use", "on_request", "suggest"):
            for item in items(self._root.get(section)):
                yield from self._selector(item)
        for item in items(self._root.get("export")):
            yield from self._text_reference(Kind.TOOLSET, item)
        yield from self._rules(self._root.get("rules"))
        for section in ("roles", "modes"):
            for _, rules in entries(self._root.get(section)):
                yield from self._rules(rules)
        yield from self._of_catalog()
        if self._head(EVALUATION_HEAD):
            for _, case in entries(self._root.get("cases")):
                yield from self._of_case(case)

    def _of_case(self, case: Node) -> Iterator[Reference]:
        expected = items(_get(case, "expect"))
        alternatives = [call for each in expected for call in items(_get(each, "one_of"))]
        for call in (*expected, *alternatives, *items(_get(case, "results"))):
            yield from self._text_reference(Kind.TOOL, _get(call, "call"))
        for section in ("allow", "avoid"):
            for item in items(_get(case, section)):
                yield from self._selector(item)

    def _of_tool(self, tool: Node) -> Iterator[Reference]:
        for side in ("args", "result"):
            yield from self._of_schema(_get(tool, side))
        for _, schema in entries(_get(tool, "server_data")):
            yield from self._of_schema(schema)
        yield from self._tags(_get(tool, "tags"))
        bind = _get(tool, "bind")
        if isinstance(bind, ScalarNode) and isinstance(bind.value, str):
            yield Reference(Kind.METHOD, (f"{self._path}#{bind.value}",), _whole(self._scalar(bind, bind.value)))

    def _of_catalog(self) -> Iterator[Reference]:
        if not self._head("catalog"):
            return
        yield from self._text_reference(Kind.TOOLSET, self._root.get("from"))
        for _, category in entries(self._root.get("categories")):
            yield from self._text_reference(Kind.TOOLSET, _get(category, "from"))
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

    def _rules(self, rules: Node | None) -> Iterator[Reference]:
        if isinstance(rules, MappingNode):
            for selector in rules.keys():
                yield from self._selector_text(self._key(rules, selector))

    def _selector(self, node: Node) -> Iterator[Reference]:
        if text := _text_of(node):
            yield from self._selector_text(self._scalar(node, text))

    def _selector_text(self, scalar: WrittenScalar) -> Iterator[Reference]:
        name, *tags = scalar.value.split("+")
        kind = Kind.PATTERN if "*" in name else Kind.TOOL
        if name:  # a wire name is one of a tool too
            names = tuple(dict.fromkeys((name, name.replace("__", "."))))
            yield Reference(kind, names, Name(scalar, 0, len(name)))
        at = len(name)
        for tag in tags:
            yield Reference(Kind.TAG, (tag,), Name(scalar, at + 1, at + 1 + len(tag)))
            at += 1 + len(tag)

    def _tags(self, node: Node | None) -> Iterator[Reference]:
        for item in items(node):
            yield from self._text_reference(Kind.TAG, item)

    def _text_reference(self, kind: Kind, node: Node | None) -> Iterator[Reference]:
        if text := _text_of(node):
            assert node is not None
            yield Reference(kind, (text,), _whole(self._scalar(node, text)))

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
            yield from self._of_reference(node)
            for key, inner in node.entries():
                if key not in _DATA:
                    yield from self._of_json_schema(inner)

    def _of_reference(self, node: Node) -> Iterator[Reference]:
        reference = _get(node, "$ref")
        if found := _REFERENCE.fullmatch(_text_of(reference)):
            assert reference is not None
            path = posixpath.normpath(posixpath.join(posixpath.dirname(self._path), found["file"]))
            kind = Kind.TYPE if found["section"] == "types" else Kind.METHOD
            scalar = self._scalar(reference, found[0])
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
