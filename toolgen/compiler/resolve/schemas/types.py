"""The table of named types of all files: definitions, and references between files."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from toolgen.compiler.diagnostics.diagnostic import nearest
from toolgen.compiler.documents.base import SharedFile
from toolgen.compiler.documents.toolset import ToolsetFile
from toolgen.compiler.resolve.schemas import keywords
from toolgen.compiler.resolve.schemas.keywords import respelled_type
from toolgen.compiler.source.nodes import MappingNode, ScalarNode

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.documents.base import SpecFileHead
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.source.nodes import Node

POINTER = "#/types/"

TypePlace: TypeAlias = tuple[str, str]
"""A file, and the name of a type in it."""


@dataclass(frozen=True, slots=True)
class NamedType:
    """A type defined in a file."""

    path: str
    name: str
    node: Node
    dialect: str
    span: Span


class Types:
    """Every named type, by file. `read` are the files whose types were looked at."""

    def __init__(self, documents: Mapping[str, Document[SpecFileHead]], sink: Diagnostics) -> None:
        self._documents = documents
        self._sink = sink
        self._files: dict[str, dict[str, NamedType]] = {}
        self._ends: dict[TypePlace, tuple[TypePlace, Span]] = {}
        self.read: set[str] = set()

    def reporting_to(self, sink: Diagnostics) -> Types:
        """Return a copy that reports to another sink; what it reads counts as read here."""
        types = self.for_toolset(sink)
        types.read = self.read
        return types

    def for_toolset(self, sink: Diagnostics) -> Types:
        """Return a copy that reports to another sink, and has read nothing yet."""
        types = Types(self._documents, sink)
        types._files = self._files
        return types

    def names(self, path: str) -> list[str]:
        """Return the types that a file defines."""
        return list(self._of(path))

    def _of(self, path: str) -> dict[str, NamedType]:
        """Return the types of a file, by name; none if there is no such file."""
        self.read.add(path)
        if path not in self._files:
            document = self._documents.get(path)
            self._files[path] = {} if document is None else _types_of(document)
        return self._files[path]

    def named(self, path: str, name: str, span: Span) -> NamedType | None:
        """Return the type with a name in a file; references to other files are followed. Reports missing types."""
        (path, name), span = self._end((path, name), span)
        known = self._of(path)
        found = known.get(name)
        if found is None:
            capitals = [*known, *_WORDS]
            self._sink.report(
                "TG201",
                span,
                f"there is no type `{name}` in {path}",
                fix=respelled_type(name, capitals) or nearest(name, capitals) or _listing(known),
            )
            return None
        reference = _foreign_reference(found.node)
        if reference is None:
            return found
        if self.target(path, reference, found.node.span):
            self._sink.report("TG204", found.span, f"the type `{name}` only refers to itself")
        return None

    def _end(self, place: TypePlace, span: Span) -> tuple[TypePlace, Span]:
        """Follow types that are only references, and return the final place, and the span of the last reference.

        The final place is itself a reference if its target is missing, or if the references form a cycle.
        """
        passed: dict[TypePlace, None] = {}
        while place not in passed and (step := self._ends.get(place) or self._next(place)):
            passed[place] = None
            place, span = step
        is_in_circle = False
        for each in passed:
            is_in_circle = is_in_circle or each == place
            self._ends[each] = (each if is_in_circle else place, span)
        return place, span

    def _next(self, place: TypePlace) -> tuple[TypePlace, Span] | None:
        """Return the target of a type that is only a reference, and the span of the reference."""
        path, name = place
        found = self._of(path).get(name)
        reference = _foreign_reference(found.node) if found else None
        target = self.target(path, reference, found.node.span) if found and reference else None
        return (target, found.node.span) if found and target else None

    def target(self, path: str, reference: str, span: Span) -> TypePlace | None:
        """Return the file and name of `#/types/Name` or `other.yaml#/types/Name` in a file."""
        file, _, fragment = reference.partition("#")
        if not fragment.startswith("/types/") or "/" in fragment[len("/types/") :]:
            self._sink.report(
                "TG204",
                span,
                f"`{reference}` is not a reference to a type",
                fix="write `#/types/Name` or `file.yaml#/types/Name`",
            )
            return None
        where = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
        if where not in self._documents:
            self._sink.report("TG204", span, f"there is no spec file {where}", fix=nearest(where, self._documents))
            return None
        return where, fragment[len("/types/") :]


def _types_of(document: Document[SpecFileHead]) -> dict[str, NamedType]:
    file = document.file
    if not isinstance(file, ToolsetFile | SharedFile) or not file.types:
        return {}
    entries = document.node("types")
    assert isinstance(entries, MappingNode)
    return {
        name: NamedType(
            document.path,
            name,
            node,
            own_dialect(node) or file.dialect,
            document.span("types", name, key=True),
        )
        for name, node in entries.entries()
    }


def own_dialect(node: Node) -> str | None:
    """Return the draft in a schema's `$schema`."""
    if isinstance(node, MappingNode) and "$schema" in node.keys():
        value = node.get("$schema")
        if isinstance(value, ScalarNode) and isinstance(value.value, str):
            return keywords.dialect_of(value.value)
    return None


def is_type_reference(reference: str) -> bool:
    """Whether a `$ref` refers to a type of a spec file, not to a part of its schema."""
    return reference.startswith(POINTER) or ("#/types/" in reference and "://" not in reference)


def _foreign_reference(node: Node) -> str | None:
    """Return the `$ref` of a type that is only a reference."""
    if isinstance(node, MappingNode) and node.keys() == ["$ref"]:
        value = node.get("$ref")
        if isinstance(value, ScalarNode) and isinstance(value.value, str) and is_type_reference(value.value):
            return value.value
    return None


_WORDS = ("string", "integer", "number", "boolean", "object", "null", "any")


def _listing(known: dict[str, NamedType]) -> str:
    if not known:
        return "this file has no `types`"
    return f"the types here are {', '.join(f'`{name}`' for name in known)}"
