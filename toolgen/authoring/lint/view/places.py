"""Places in specs: what a finding is at, independent of lines; and the way from a JSON Schema back to its spec."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolgen.compiler.source.nodes import MappingNode, SequenceNode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.source.nodes import Node

Path = tuple["str | int", ...]


@dataclass(frozen=True)
class Place:
    """A value of a spec, or with `key` its key. A path that does not exist means its nearest existing parent."""

    document: Document[Any]
    path: Path
    key: bool = False

    def __truediv__(self, step: str | int) -> Place:
        """Return the place of a value below."""
        return Place(self.document, (*self.path, step))

    @property
    def of_key(self) -> Place:
        """The key of the value."""
        return Place(self.document, self.path, key=True)

    @property
    def node(self) -> Node:
        """The value, or its nearest existing parent."""
        return self.document.root.at(self.path)

    @property
    def exists(self) -> bool:
        """Whether there is a value at the path itself."""
        node: Node | None = self.document.root
        for step in self.path:
            node = None if node is None else node.child(step)
        return node is not None

    @property
    def span(self) -> Span:
        """The lines and columns."""
        return self.document.root.span_at(self.path, key=self.key)

    @property
    def name(self) -> str:
        """The place in words that stay when lines move: `shop.orders:tools/refund/args`, or a path for shared files."""
        heads = (self.document.root.child(head) for head in ("toolset", "agent", "catalog", "policy"))
        head = next((str(node.to_data()) for node in heads if node is not None), self.document.path)
        return f"{head}:{'/'.join(map(str, self.path))}"


def property_place(place: Place, name: str) -> Place:
    """Return the place of a field of an object schema: in JSON Schema, or in the short form with its marks."""
    node = place.node
    if isinstance(node, MappingNode) and isinstance(node.get("properties"), MappingNode):
        return place / "properties" / name
    if isinstance(node, MappingNode):
        for key in (name, f"{name}?", f"{name}!"):
            if node.get(key) is not None:
                return place / key
    return place


def items_place(place: Place) -> Place:
    """Return the place of the items of an array schema: `items`, or the item of the short form `[X]`."""
    return place / 0 if isinstance(place.node, SequenceNode) else place / "items"


def definition_place(place: Place, name: str, documents: Mapping[str, Document[Any]]) -> Place:
    """Return the place of a type that the schema at a place refers to: in this file, another one, or the schema."""
    document = place.document
    for _ in range(len(documents) + 1):
        there = Place(document, ("types", name))
        if not there.exists:
            break
        node = there.node
        reference = node.child("$ref") if isinstance(node, MappingNode) else None
        text = "" if reference is None else str(reference.to_data())
        file, _, pointer = text.partition("#")
        if not file or not pointer.startswith("/types/"):
            return there
        other = documents.get(posixpath.normpath(posixpath.join(posixpath.dirname(document.path), file)))
        if other is None:
            return there
        document, name = other, pointer.removeprefix("/types/")
    return place
