"""Strict nodes: the parts of a strict schema, which convert values to the strict form and back.

`restore(project(value)) == value` for every value that `project` accepts. `accepts` selects the branch of a choice.
"""
# ruff: noqa: D102 - the methods of nodes are documented in `Node`

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from toolgen.schema.json_values import kind_of, value_of
from toolgen.schema.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

Known = dict[tuple[int, int], bool]
"""Which definitions accept which parts of a sent value, by `id`; only valid while the value exists."""

_NULL: Final[dict[str, Any]] = {"type": "null"}


class UnsupportedSchema(ValueError):
    """A value that the schema may allow, but that cannot be sent."""


class Node(Protocol):
    """One part of a schema."""

    @property
    def pointer(self) -> str:
        """Its JSON pointer in the schema of the tool."""
        ...

    def children(self) -> Iterator[Node]:
        """Return its direct parts, without following references."""
        ...

    def kinds(self) -> frozenset[str]:
        """Return the JSON types of the values sent for it; an integer is a `number`."""
        ...

    def is_plain(self) -> bool:
        """Whether values are sent unchanged."""
        ...

    def accepts(self, sent: Any, known: Known, /) -> bool:
        """Whether the provider's schema accepts a sent value, ignoring formats and patterns."""
        ...

    def project(self, value: Any, /) -> Any:
        """Convert a value to the form that is sent. Raises `UnsupportedSchema`."""
        ...

    def restore(self, sent: Any, known: Known, /) -> Any:
        """Convert a sent value back; values that the provider's schema does not accept are unchanged."""
        ...

    def schema(self) -> dict[str, Any]:
        """Return the schema for the provider."""
        ...


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string, a number, a boolean, null, or one of fixed values; `keywords` is its schema."""

    pointer: str
    keywords: Mapping[str, Any]

    def children(self) -> Iterator[Node]:
        return iter(())

    def kinds(self) -> frozenset[str]:
        values, kind = fixed_values(self.keywords), self.keywords["type"]
        return frozenset({"number" if kind == "integer" else kind} if values is None else map(kind_of, values))

    def is_plain(self) -> bool:
        return True

    def accepts(self, sent: Any, known: Known) -> bool:
        values = fixed_values(self.keywords)
        if values is not None:
            return any(_same(sent, value) for value in values)
        if kind_of(sent) not in self.kinds() or (self.keywords["type"] == "integer" and sent != int(sent)):
            return False
        return all(
            check(sent, self.keywords[keyword]) for keyword, check in _CHECKS.items() if keyword in self.keywords
        )

    def project(self, value: Any) -> Any:
        return value

    def restore(self, sent: Any, known: Known) -> Any:
        return sent

    def schema(self) -> dict[str, Any]:
        return dict(self.keywords)


@dataclass(frozen=True, slots=True)
class Text:
    """A part that a strict mode does not support: sent as the JSON text of the value."""

    pointer: str
    description: str

    def children(self) -> Iterator[Node]:
        return iter(())

    def kinds(self) -> frozenset[str]:
        return frozenset({"string"})

    def is_plain(self) -> bool:
        return False

    def accepts(self, sent: Any, known: Known) -> bool:
        return isinstance(sent, str)

    def project(self, value: Any) -> Any:
        return json.dumps(value, ensure_ascii=False)

    def restore(self, sent: Any, known: Known) -> Any:
        if not isinstance(sent, str):
            return sent
        try:
            return value_of(sent)
        except (ValueError, RecursionError):
            return sent

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "description": self.description}


@dataclass(frozen=True, slots=True)
class Array:
    """An array; `keywords` is its schema without the items."""

    pointer: str
    keywords: Mapping[str, Any]
    items: Node

    def children(self) -> Iterator[Node]:
        yield self.items

    def kinds(self) -> frozenset[str]:
        return frozenset({"array"})

    def is_plain(self) -> bool:
        return self.items.is_plain()

    def accepts(self, sent: Any, known: Known) -> bool:
        if not isinstance(sent, list):
            return False
        items = cast("list[object]", sent)
        least, most = self.keywords.get("minItems", 0), self.keywords.get("maxItems", len(items))
        return least <= len(items) <= most and all(self.items.accepts(item, known) for item in items)

    def project(self, value: Any) -> Any:
        if not isinstance(value, list):
            raise UnsupportedSchema(self.pointer)
        items = cast("list[object]", value)
        return [self.items.project(item) for item in items]

    def restore(self, sent: Any, known: Known) -> Any:
        if not isinstance(sent, list):
            return sent
        items = cast("list[object]", sent)
        return [self.items.restore(item, known) for item in items]

    def schema(self) -> dict[str, Any]:
        return {**self.keywords, "items": self.items.schema()}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an object. A `nullable` one is sent as null if it is absent."""

    node: Node
    required: bool
    nullable: bool


@dataclass(frozen=True, slots=True)
class Object:
    """A closed object; `keywords` is its schema without the fields."""

    pointer: str
    keywords: Mapping[str, Any]
    fields: Mapping[str, Field]

    def children(self) -> Iterator[Node]:
        return (each.node for each in self.fields.values())

    def kinds(self) -> frozenset[str]:
        return frozenset({"object"})

    def always_sent(self) -> frozenset[str]:
        """The fields that are always sent."""
        return frozenset(name for name, each in self.fields.items() if each.required or each.nullable)

    def is_plain(self) -> bool:
        return all(not each.nullable and each.node.is_plain() for each in self.fields.values())

    def accepts(self, sent: Any, known: Known) -> bool:
        if not isinstance(sent, dict):
            return False
        there = cast("dict[str, Any]", sent)
        if not self.always_sent() <= there.keys() <= self.fields.keys():
            return False
        return all(
            (value is None and self.fields[name].nullable) or self.fields[name].node.accepts(value, known)
            for name, value in there.items()
        )

    def project(self, value: Any) -> Any:
        there = cast("dict[str, Any]", value)
        if not isinstance(value, dict) or not there.keys() <= self.fields.keys():
            raise UnsupportedSchema(self.pointer)
        sent: dict[str, Any] = {}
        for name, each in self.fields.items():
            if name in there:
                sent[name] = each.node.project(there[name])
                if sent[name] is None and each.nullable:
                    raise UnsupportedSchema(each.node.pointer)
            elif each.nullable:
                sent[name] = None
            elif each.required:
                raise UnsupportedSchema(self.pointer)
        return sent

    def restore(self, sent: Any, known: Known) -> Any:
        if not isinstance(sent, dict):
            return sent
        value: dict[str, Any] = {}
        for name, member in cast("dict[str, Any]", sent).items():
            each = self.fields.get(name)
            if each is None:
                value[name] = member
            elif member is not None or not each.nullable:
                value[name] = each.node.restore(member, known)
        return value

    def schema(self) -> dict[str, Any]:
        return {
            **self.keywords,
            "properties": {
                name: _with_null(each.node) if each.nullable else each.node.schema()
                for name, each in self.fields.items()
            },
            "required": [name for name, each in self.fields.items() if each.required or each.nullable],
            "additionalProperties": False,
        }


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice of branches; unless all are plain, their sent values are disjoint."""

    pointer: str
    keywords: Mapping[str, Any]
    branches: Sequence[Node]

    def children(self) -> Iterator[Node]:
        return iter(self.branches)

    def kinds(self) -> frozenset[str]:
        return frozenset[str]().union(*(branch.kinds() for branch in self.branches))

    def is_plain(self) -> bool:
        return all(branch.is_plain() for branch in self.branches)

    def accepts(self, sent: Any, known: Known) -> bool:
        return any(branch.accepts(sent, known) for branch in self.branches)

    def project(self, value: Any) -> Any:
        for branch in self.branches:
            try:
                sent = branch.project(value)
            except UnsupportedSchema:
                continue
            if branch.accepts(sent, {}):
                return sent
        raise UnsupportedSchema(self.pointer)

    def restore(self, sent: Any, known: Known) -> Any:
        if self.is_plain():
            return sent
        fitting = (branch for branch in self.branches if branch.accepts(sent, known))
        return next((branch.restore(sent, known) for branch in fitting), sent)

    def schema(self) -> dict[str, Any]:
        return {**self.keywords, "anyOf": [branch.schema() for branch in self.branches]}


@dataclass(slots=True)
class Reference:
    """A `$ref`: to the root if `name` is empty, else to a definition.

    `target`, and whether it is plain, are set when all parts are converted.
    """

    pointer: str
    keywords: Mapping[str, Any]
    name: str
    target: Node | None = None
    is_target_plain: bool = True
    _kinds: frozenset[str] | None = field(default=None, init=False)

    def children(self) -> Iterator[Node]:
        return iter(())

    def kinds(self) -> frozenset[str]:
        if self._kinds is None:
            self._kinds = self._target.kinds()
        return self._kinds

    def is_plain(self) -> bool:
        return self.is_target_plain

    def accepts(self, sent: Any, known: Known) -> bool:
        asked = (id(self.target), id(sent))
        if asked not in known:
            known[asked] = self._target.accepts(sent, known)
        return known[asked]

    def project(self, value: Any) -> Any:
        return self._target.project(value)

    def restore(self, sent: Any, known: Known) -> Any:
        return self._target.restore(sent, known)

    def schema(self) -> dict[str, Any]:
        ref = {"$ref": f"#/$defs/{escape(self.name)}" if self.name else "#"}
        return {**self.keywords, "anyOf": [ref]} if self.keywords else ref

    @property
    def _target(self) -> Node:
        assert self.target is not None
        return self.target


def fixed_values(keywords: Mapping[str, Any]) -> list[Any] | None:
    """Return the values of `enum` or `const`; None if there is neither."""
    return [keywords["const"]] if "const" in keywords else keywords.get("enum")


def _same(one: Any, other: Any) -> bool:
    return kind_of(one) == kind_of(other) and bool(one == other)


def _with_null(node: Node) -> dict[str, Any]:
    """Return the schema of an optional field that is sent as null if it is absent."""
    schema = node.schema()
    if "null" in node.kinds():
        return schema
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], _NULL]}
    if isinstance(node, Scalar | Text) and "const" not in schema and isinstance(schema.get("type"), str):
        values = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
        return {**schema, "type": [schema["type"], "null"], **values}
    about: dict[str, Any] = {name: schema.pop(name) for name in ("title", "description") if name in schema}
    return {**about, "anyOf": [schema, _NULL]}


_CHECKS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "minimum": lambda sent, bound: sent >= bound,
    "maximum": lambda sent, bound: sent <= bound,
    "exclusiveMinimum": lambda sent, bound: sent > bound,
    "exclusiveMaximum": lambda sent, bound: sent < bound,
    "multipleOf": lambda sent, step: Fraction(str(sent)) % Fraction(str(step)) == 0,
}
"""The checks of scalars; patterns are not matched, because that can take unbounded time."""
