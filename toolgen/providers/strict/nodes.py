"""Strict nodes: the parts of a schema as a strict mode takes it, each with the way there for a value, and back.

`restore(project(value)) == value` for every value that `project` takes. `accepts` tells the branches of a choice apart.
"""
# ruff: noqa: D102 - what the methods of a node do is said once, in `Node`

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
"""Which definitions accept which parts of what was sent, by `id`; for as long as that is held."""

_NULL: Final[dict[str, Any]] = {"type": "null"}


class UnsupportedSchema(ValueError):
    """A value that the schema may allow, and that cannot be sent."""


class Node(Protocol):
    """One part of a schema."""

    @property
    def pointer(self) -> str:
        """Where it stands in the schema of the tool."""
        ...

    def children(self) -> Iterator[Node]:
        """The parts that are right below it; not what it refers to."""
        ...

    def kinds(self) -> frozenset[str]:
        """The JSON types of what is sent for it; an integer is a `number`."""
        ...

    def is_plain(self) -> bool:
        """Whether values are sent as they are."""
        ...

    def accepts(self, sent: Any, known: Known, /) -> bool:
        """Whether the provider's schema takes a value as it is sent, formats and patterns aside."""
        ...

    def project(self, value: Any, /) -> Any:
        """Return what is sent for a value. Raises `UnsupportedSchema`."""
        ...

    def restore(self, sent: Any, known: Known, /) -> Any:
        """Return the value that was sent; what the provider's schema does not take is left as it is."""
        ...

    def schema(self) -> dict[str, Any]:
        """Return the schema that the provider is told."""
        ...


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string, a number, a boolean, null, or one of fixed values; `said` is its schema."""

    pointer: str
    said: Mapping[str, Any]

    def children(self) -> Iterator[Node]:
        return iter(())

    def kinds(self) -> frozenset[str]:
        values, kind = fixed_values(self.said), self.said["type"]
        return frozenset({"number" if kind == "integer" else kind} if values is None else map(kind_of, values))

    def is_plain(self) -> bool:
        return True

    def accepts(self, sent: Any, known: Known) -> bool:
        values = fixed_values(self.said)
        if values is not None:
            return any(_same(sent, value) for value in values)
        if kind_of(sent) not in self.kinds() or (self.said["type"] == "integer" and sent != int(sent)):
            return False
        return all(check(sent, self.said[keyword]) for keyword, check in _CHECKS.items() if keyword in self.said)

    def project(self, value: Any) -> Any:
        return value

    def restore(self, sent: Any, known: Known) -> Any:
        return sent

    def schema(self) -> dict[str, Any]:
        return dict(self.said)


@dataclass(frozen=True, slots=True)
class Text:
    """Whatever a strict mode cannot say: sent as the JSON text of the value."""

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
    """An array; `said` is its schema, less the items."""

    pointer: str
    said: Mapping[str, Any]
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
        least, most = self.said.get("minItems", 0), self.said.get("maxItems", len(items))
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
        return {**self.said, "items": self.items.schema()}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an object. One that is `nullable` is sent as null where it is absent."""

    node: Node
    required: bool
    nullable: bool


@dataclass(frozen=True, slots=True)
class Object:
    """An object, closed; `said` is its schema, less the fields."""

    pointer: str
    said: Mapping[str, Any]
    fields: Mapping[str, Field]

    def children(self) -> Iterator[Node]:
        return (each.node for each in self.fields.values())

    def kinds(self) -> frozenset[str]:
        return frozenset({"object"})

    def always_sent(self) -> frozenset[str]:
        """The fields that are there in whatever is sent."""
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
            **self.said,
            "properties": {
                name: _with_null(each.node) if each.nullable else each.node.schema()
                for name, each in self.fields.items()
            },
            "required": [name for name, each in self.fields.items() if each.required or each.nullable],
            "additionalProperties": False,
        }


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several; where they are not all plain, they are disjoint as they are sent."""

    pointer: str
    said: Mapping[str, Any]
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
        return {**self.said, "anyOf": [branch.schema() for branch in self.branches]}


@dataclass(slots=True)
class Reference:
    """A `$ref`: to the root where `name` is empty, or else to a definition.

    `target`, and whether it is plain, are set once all is read.
    """

    pointer: str
    said: Mapping[str, Any]
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
        return {**self.said, "anyOf": [ref]} if self.said else ref

    @property
    def _target(self) -> Node:
        assert self.target is not None
        return self.target


def fixed_values(said: Mapping[str, Any]) -> list[Any] | None:
    """The values that `enum` or `const` fixes; None where neither is there."""
    return [said["const"]] if "const" in said else said.get("enum")


def _same(one: Any, other: Any) -> bool:
    return kind_of(one) == kind_of(other) and bool(one == other)


def _with_null(node: Node) -> dict[str, Any]:
    """The schema of an optional field that is sent as null where it is absent."""
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
"""Those of numbers; a pattern is not run, which may take as long as the model likes."""
