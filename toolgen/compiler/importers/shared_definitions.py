"""Shared definitions: equal definitions of several schemas of a source, written once, under `types`.

A definition is moved with everything that it refers to. It is not moved if its meaning could change as a type: in a
schema with named parts or references into a definition, if its fields need other names in Python, or if the spec has
another type with its name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.documents.base import TypeNamePattern
from toolgen.compiler.resolve import keywords
from toolgen.compiler.resolve.names import RESERVED_CLASSES, attribute
from toolgen.schema.json_values import canonical
from toolgen.schema.keywords import subschemas, with_schemas

if TYPE_CHECKING:
    from toolgen.compiler.importers.offer import OfferedTool

TYPE: Final = "#/types/"
_NAME: Final = re.compile(TypeNamePattern)
SIDES: Final = ("args", "result")
"""The schemas of a tool that its source determines."""

_NOTHING: Final[Mapping[tuple[str, str], Collection[str]]] = {}

_NAMING: Final = ("$id", "id", *keywords.ANCHORS, "$dynamicRef", "$recursiveRef", "$recursiveAnchor")


def with_shared_definitions(
    tools: Sequence[OfferedTool],
    taken: Collection[str],
    dialect: str,
    *,
    known: Collection[str] = (),
    pinned: Mapping[tuple[str, str], Collection[str]] = _NOTHING,
) -> tuple[list[OfferedTool], dict[str, Any]]:
    """Move equal definitions of two or more schemas; return the tools without them, and the types by name.

    `taken` are reserved names of types; `dialect` is that of the spec. A definition that is a type already (`known`) is
    moved if one schema has it; those in `pinned`, by the tool's name and the side, stay where they are.
    """
    reserved = RESERVED_CLASSES.union(taken)
    schemas = {
        (tool.name, side): _Schema.of(
            tool.spec[side], tool.spec.get("rename", {}), reserved.union(pinned.get((tool.name, side), ())), dialect
        )
        for tool in tools
        for side in SIDES
        if side in tool.spec
    }
    types = _chosen(schemas.values(), known)
    moved = [
        replace(tool, spec={**tool.spec, **{side: schemas[tool.name, side].without(types)
                                            for side in SIDES if side in tool.spec}})
        for tool in tools
    ]  # fmt: skip
    return moved, {name: _referring(types[name], types, dialect) for name in sorted(types)}


def types_referred_to(value: Any) -> Iterator[str]:
    """Return the names of the types of the same file that a JSON value refers to."""
    match value:
        case dict():
            reference = value.get("$ref")
            if isinstance(reference, str) and reference.startswith(TYPE):
                yield reference.removeprefix(TYPE)
            for inner in value.values():
                yield from types_referred_to(inner)
        case list():
            for inner in value:
                yield from types_referred_to(inner)
        case _:
            pass


@dataclass(frozen=True)
class _Schema:
    """One schema of a source. `movable` are its definitions that may become types, by name."""

    json: Any
    dialect: str
    movable: Mapping[str, Any]

    @classmethod
    def of(cls, json: Any, renamed: Collection[str], reserved: Collection[str], dialect: str) -> _Schema:
        """Parse a schema.

        Its fields in `renamed` have other names in Python; `reserved` are reserved names of types.
        """
        keyword = keywords.definitions_keyword(dialect)
        found = json.get(keyword) if isinstance(json, dict) else None
        if not isinstance(found, dict) or keywords.dialect_of(json.get("$schema", "")) not in (None, dialect):
            return cls(json, dialect, {})
        parts = [part for _, part in subschemas(json)]
        prefix = f"#/{keyword}/"
        inward = [ref for part in parts if isinstance(ref := part.get("$ref"), str) and ref.startswith(prefix)]
        if any(name in part for part in parts for name in _NAMING) or any(
            ref.removeprefix(prefix) not in found for ref in inward
        ):
            return cls(json, dialect, {})
        movable = {
            name: body
            for name, body in found.items()
            if _NAME.fullmatch(name) and name not in reserved and _reads_alike(body, renamed)
        }
        while True:
            kept = {name: body for name, body in movable.items() if _names(body, prefix) <= movable.keys()}
            if kept == movable:
                return cls(json, dialect, movable)
            movable = kept

    def closure(self, name: str) -> dict[str, Any]:
        """Return a definition and all that it refers to, by name."""
        prefix = f"#/{keywords.definitions_keyword(self.dialect)}/"
        found: dict[str, Any] = {}
        pending = [name]
        while pending:
            each = pending.pop()
            if each not in found:
                found[each] = self.movable[each]
                pending.extend(sorted(_names(found[each], prefix)))
        return found

    def without(self, types: Mapping[str, Any]) -> Any:
        """Return the schema with references to types instead of moved definitions."""
        moved = [
            name for name in self.movable
            if all(each in types and _bare(types[each]) == _bare(body) for each, body in self.closure(name).items())
        ]  # fmt: skip
        if not moved:
            return self.json
        keyword = keywords.definitions_keyword(self.dialect)
        rest = {name: body for name, body in self.json[keyword].items() if name not in moved}
        schema = {key: value for key, value in self.json.items() if key != keyword}
        return _referring({**schema, **({keyword: rest} if rest else {})}, moved, self.dialect)


def _chosen(schemas: Iterable[_Schema], known: Collection[str]) -> dict[str, Any]:
    """Return the definitions that become types: the most frequent ones, with all that they refer to.

    Two that differ in their examples alone are one type, with the examples of the longer one.
    """
    counts: Counter[tuple[str, bytes]] = Counter()
    closures: dict[tuple[str, bytes], dict[str, Any]] = {}
    bodies: dict[tuple[str, bytes], Any] = {}
    for schema in schemas:
        for name in schema.movable:
            closure = schema.closure(name)
            key = (name, b"".join(_bare(closure[each]) for each in sorted(closure)))
            counts[key] += 1
            closures[key] = closure
            place = (name, _bare(schema.movable[name]))
            bodies[place] = max(bodies.get(place), schema.movable[name], key=_length)
    types: dict[str, Any] = {}
    for key in sorted(counts, key=lambda key: (-counts[key], key)):
        closure = closures[key]
        if (counts[key] > 1 or key[0] in known) and all(
            name not in types or _bare(types[name]) == _bare(body) for name, body in closure.items()
        ):
            types.update({name: bodies[name, _bare(body)] for name, body in closure.items()})
    return types


def _length(body: Any) -> tuple[int, bytes]:
    text = canonical(body) if body is not None else b""
    return len(text), text


def _bare(schema: Any) -> bytes:
    """Return what decides whether two definitions are one type: all but the examples."""

    def bare(part: Any) -> Any:
        if not isinstance(part, dict):
            return part
        return {
            key: with_schemas(key, value, bare)
            for key, value in part.items()
            if key != "examples" or not isinstance(value, list)
        }

    return canonical(bare(schema))


def _reads_alike(body: Any, renamed: Collection[str]) -> bool:
    """Whether a type with this body has the same JSON Schema in a spec, with the same names in Python.

    A type that is only a reference is another name of its target.
    """
    if not isinstance(body, dict) or not any(key in keywords.RAW for key in body) or body.keys() == {"$ref"}:
        return False
    for _, part in subschemas(body):
        fields = part.get("properties", {})
        if not isinstance(fields, dict) or not set(renamed).isdisjoint(fields):
            return False
        if len({attribute(wire) for wire in fields}) < len(fields):
            return False
    return True


def _names(body: Any, prefix: str) -> set[str]:
    """Return the definitions that a schema refers to; other references unchanged, after a space."""
    references = {part["$ref"] for _, part in subschemas(body) if isinstance(part.get("$ref"), str)}
    return {ref.removeprefix(prefix) if ref.startswith(prefix) else f" {ref}" for ref in references}


def _referring(schema: Any, moved: Collection[str], dialect: str) -> Any:
    """Return a copy that refers to types instead of `moved` definitions."""
    places = {f"#/{keywords.definitions_keyword(dialect)}/{name}": f"{TYPE}{name}" for name in moved}

    def copied(part: Any) -> Any:
        if not isinstance(part, dict):
            return part
        copy = {key: with_schemas(key, value, copied) for key, value in part.items()}
        if isinstance(part.get("$ref"), str):
            copy["$ref"] = places.get(part["$ref"], part["$ref"])
        return copy

    return copied(schema)
