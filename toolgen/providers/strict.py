"""Strict schemas of model APIs: conversion of schemas and args, and restoring args."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, combinations, product
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from toolgen.providers.protocol import NESTED_LESS, NotRestored, OfferProblem, SchemaDifference, argument_problems
from toolgen.schema.drafts import is_old
from toolgen.schema.free_names import free_name
from toolgen.schema.json_values import args_of, compact_json, is_array, is_object, kind_of
from toolgen.schema.keywords import (
    ANNOTATIONS,
    APPLICATORS,
    ASSERTIONS,
    DEEPEST,
    DEFINITIONS,
    IN_PLACE_LIST,
    SILENT,
    described,
    is_deeper,
    required_of,
)
from toolgen.schema.references import (
    at_steps,
    behind_references,
    definitions_reached,
    escape,
    id_keyword,
    is_resource,
    pointer_of,
    pointer_to,
    steps_to,
    target_of,
)

if TYPE_CHECKING:
    from toolgen.providers.schema_dialects import Bounds, StrictDialect
    from toolgen.schema.references import Place


# Strict limits: the size of a schema as providers count it, and exceeded limits.

_LONG_ENUM: Final = 250
"""Number of values from which the text of one enum is limited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The counted sizes of a strict schema.

    `properties` counts those of all objects, `depth` the nesting of objects, `enum_values` those of all enums, `text`
    the characters of names and fixed values, `enum_text` those of the longest enum of more than 250 values, `optional`
    the optional fields, `unions` the parts with `anyOf` or several types.
    """

    properties: int = 0
    depth: int = 0
    enum_values: int = 0
    text: int = 0
    enum_text: int = 0
    optional: int = 0
    unions: int = 0


NO_SIZE: Final = Size()

_WORDS: Final[Mapping[str, str]] = {
    "properties": "properties",
    "depth": "levels of objects",
    "enum_values": "values of enums",
    "text": "characters of names and fixed values",
    "enum_text": f"characters of an enum of more than {_LONG_ENUM} values",
    "optional": "optional fields",
    "unions": "fields of several types",
}


def size_of(schema: Mapping[str, Any]) -> Size:
    """Return the sizes of a strict schema."""
    parts = list(_parts(schema, 1))
    enums = [cast("list[Any]", part["enum"]) for part, _ in parts if "enum" in part]
    fixed = [value for enum in enums for value in enum] + [part["const"] for part, _ in parts if "const" in part]
    names = [name for part, _ in parts for name in (*part.get("properties", {}), *part.get("$defs", {}))]
    return Size(
        properties=sum(len(part.get("properties", {})) for part, _ in parts),
        depth=max((depth for part, depth in parts if "properties" in part), default=0),
        enum_values=sum(map(len, enums)),
        text=_characters(names) + _characters(fixed),
        enum_text=max((_characters(enum) for enum in enums if len(enum) > _LONG_ENUM), default=0),
        optional=sum(len(part.get("properties", {}).keys() - set(part.get("required", ()))) for part, _ in parts),
        unions=sum("anyOf" in part or isinstance(part.get("type"), list) for part, _ in parts),
    )


def problems_of(tool: str, schema: Mapping[str, Any], size: Size, dialect: StrictDialect) -> tuple[OfferProblem, ...]:
    """Return the exceeded limits of one tool, and its args with unsupported names."""
    bounds = dialect.bounds
    found = [
        OfferProblem(tool, f"has {getattr(size, what)} {_WORDS[what]}; strict mode accepts {bound}")
        for what in ("properties", "depth", "enum_values", "text", "enum_text")
        if (bound := getattr(bounds, what)) is not None and getattr(size, what) > bound
    ]
    return (*found, *argument_problems(tool, schema, dialect.argument))


def request_problems(sizes: Iterable[tuple[str, Size]], bounds: Bounds) -> Iterator[OfferProblem]:
    """Return the tools that exceed the limits of a request, given the tools before them."""
    total = {"tools": 0, "optional": 0, "unions": 0}
    for tool, size in sizes:
        added = {"tools": 1, "optional": size.optional, "unions": size.unions}
        broken = [
            what for what in total if (most := getattr(bounds, what)) is not None and total[what] + added[what] > most
        ]
        if broken:
            words = " and ".join(f"{getattr(bounds, what)} {_WORDS.get(what, what)}" for what in broken)
            yield OfferProblem(tool, f"exceeds a limit: strict mode accepts {words} in all tools of a request")
        else:
            total = {what: total[what] + added[what] for what in total}


def _parts(schema: Mapping[str, Any], depth: int) -> Iterator[tuple[Mapping[str, Any], int]]:
    yield schema, depth
    below = depth + ("properties" in schema)
    for each in (*schema.get("properties", {}).values(), *schema.get("anyOf", ())):
        yield from _parts(each, below)
    if "items" in schema:
        yield from _parts(schema["items"], below)
    for each in schema.get("$defs", {}).values():
        yield from _parts(each, 1)


def _characters(values: Iterable[Any]) -> int:
    return sum(len(value if isinstance(value, str) else str(value)) for value in values)


# Strict nodes: the parts of a strict schema, which convert values to the strict form and back.
#
# `restore(project(value)) == value` for every value that `project` accepts. `accepts` selects the branch of a choice.

# ruff: noqa: D102 - the methods of nodes are documented in `Node`


Known = dict[tuple[int, int], bool]
"""Which definitions accept which parts of a sent value, by `id`; only valid while the value exists."""

Tried = dict[tuple[int, int], Any]
"""What parts of a value are sent as by definitions, by `id`, or why they cannot be; only valid while the value exists.

None stands for no choice around a part: what the provider's schema does not accept is sent there too.
"""

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

    def project(self, value: Any, tried: Tried | None, /) -> Any:
        """Convert a value to the form that is sent.

        Raises `UnsupportedSchema`; in a branch of a choice also where the provider's schema does not accept that form.
        """
        ...

    def restore(self, sent: Any, known: Known, place: Place, /) -> Any:
        """Convert a sent value back; values that the provider's schema does not accept are unchanged.

        Raises `NotRestored`, with `place`, and RecursionError.
        """
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

    def project(self, value: Any, tried: Tried | None) -> Any:
        if tried is not None and not self.accepts(value, {}):
            raise UnsupportedSchema(self.pointer)
        return value

    def restore(self, sent: Any, known: Known, place: Place) -> Any:
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

    def project(self, value: Any, tried: Tried | None) -> Any:
        return json.dumps(value, ensure_ascii=False)

    def restore(self, sent: Any, known: Known, place: Place) -> Any:
        if not isinstance(sent, str):
            return sent
        try:
            return args_of(sent)
        except json.JSONDecodeError:  # a text that is no JSON is meant as it is
            return sent
        except ValueError as error:
            raise NotRestored(
                pointer_to(place), str(error), "send the JSON text of a value that is valid JSON"
            ) from None
        except RecursionError:
            raise NotRestored(pointer_to(place), "too many levels of nesting", NESTED_LESS) from None

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
        return self._has_length(items) and all(self.items.accepts(item, known) for item in items)

    def _has_length(self, items: list[object]) -> bool:
        least, most = self.keywords.get("minItems", 0), self.keywords.get("maxItems", len(items))
        return bool(least <= len(items) <= most)

    def project(self, value: Any, tried: Tried | None) -> Any:
        items = cast("list[object]", value)
        if not isinstance(value, list) or (tried is not None and not self._has_length(items)):
            raise UnsupportedSchema(self.pointer)
        return [self.items.project(item, tried) for item in items]

    def restore(self, sent: Any, known: Known, place: Place) -> Any:
        if not isinstance(sent, list):
            return sent
        items = cast("list[object]", sent)
        return [self.items.restore(item, known, (place, index)) for index, item in enumerate(items)]

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

    def project(self, value: Any, tried: Tried | None) -> Any:
        there = cast("dict[str, Any]", value)
        if not isinstance(value, dict) or not there.keys() <= self.fields.keys():
            raise UnsupportedSchema(self.pointer)
        sent: dict[str, Any] = {}
        for name, each in self.fields.items():
            if name in there:
                sent[name] = each.node.project(there[name], tried)
                if sent[name] is None and each.nullable:
                    raise UnsupportedSchema(each.node.pointer)
            elif each.nullable:
                sent[name] = None
            elif each.required:
                raise UnsupportedSchema(self.pointer)
        return sent

    def restore(self, sent: Any, known: Known, place: Place) -> Any:
        if not isinstance(sent, dict):
            return sent
        value: dict[str, Any] = {}
        for name, member in cast("dict[str, Any]", sent).items():
            each = self.fields.get(name)
            if each is None:
                value[name] = member
            elif member is not None or not each.nullable:
                value[name] = each.node.restore(member, known, (place, name))
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

    def project(self, value: Any, tried: Tried | None) -> Any:
        tried = {} if tried is None else tried
        for branch in self.branches:
            with suppress(UnsupportedSchema):
                return branch.project(value, tried)
        raise UnsupportedSchema(self.pointer)

    def restore(self, sent: Any, known: Known, place: Place) -> Any:
        if self.is_plain():
            return sent
        fitting = (branch for branch in self.branches if branch.accepts(sent, known))
        return next((branch.restore(sent, known, place) for branch in fitting), sent)

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

    def project(self, value: Any, tried: Tried | None) -> Any:
        if tried is None:
            return self._target.project(value, None)
        asked = (id(self.target), id(value))
        if asked not in tried:
            try:
                tried[asked] = self._target.project(value, tried)
            except UnsupportedSchema as error:
                tried[asked] = error
        if isinstance(tried[asked], UnsupportedSchema):
            raise UnsupportedSchema(*tried[asked].args)
        return tried[asked]

    def restore(self, sent: Any, known: Known, place: Place) -> Any:
        return self._target.restore(sent, known, place)

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


# Strict schemas: the args of a tool in the strict mode of a provider, with an exact inverse.
#
# What a strict mode does not support becomes one of these, and all but the first are reported:
#
# - an optional field, if all are required: null means absent;
# - a bound, a format, a condition: it moves to the description, and the runtime still checks it (`looser`);
# - a part without a fixed structure, such as a free-form object: it is sent as JSON text (`looser`, for the whole
#   part);
# - undeclared fields, and null for an optional field: they cannot be sent (`tighter`);
# - args that are not a plain object, or too large: an `OfferProblem`, and no schema.

# Strict links: resolves the references of a strict schema, and detects recursive ones.


def tie(targets: Mapping[str, Node], references: Mapping[str, Sequence[Reference]]) -> None:
    """Set the target of each reference, by its `$ref`, and whether values there are sent unchanged."""
    within = {target: list(all_of([node])) for target, node in targets.items()}
    holders: dict[str, list[str]] = {target: [] for target in targets}
    place = {id(reference): target for target, there in references.items() for reference in there}
    for holder, nodes in within.items():
        for node in nodes:
            if isinstance(node, Reference):
                holders[place[id(node)]].append(holder)
    waiting = [target for target, nodes in within.items() if any(map(_is_changed, nodes))]
    changed = set(waiting)
    while waiting:
        found = set(holders[waiting.pop()]) - changed
        changed |= found
        waiting += found
    for target, there in references.items():
        for reference in there:
            reference.target, reference.is_target_plain = targets[target], target not in changed


def all_of(roots: Iterable[Node]) -> Iterator[Node]:
    """Return the nodes and all nodes below them, without following references."""
    waiting = [*roots][::-1]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [*node.children()][::-1]


def is_self_reference(reference: Reference) -> bool:
    """Whether a reference leads to itself without an object or array between."""
    seen: set[int] = set()
    waiting = [reference.target]
    while waiting:
        node = waiting.pop()
        if node is reference:
            return True
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Reference):
            waiting.append(node.target)
        elif isinstance(node, Choice):
            waiting += node.branches
    return False


def _is_changed(node: Node) -> bool:
    return isinstance(node, Text) or (isinstance(node, Object) and any(each.nullable for each in node.fields.values()))


# Disjointness: whether two parts of a strict schema can be distinguished by the sent values.


@dataclass(frozen=True, slots=True)
class Comparison:
    """Cached comparisons of the parts of one schema. Its references must be linked."""

    _found: dict[tuple[int, int], bool] = field(default_factory=dict[tuple[int, int], bool])

    def is_distinguishable(self, choice: Choice) -> bool:
        """Whether the branch of each sent value is unique, as far as it matters.

        Many branches are told apart by fixed values of one field, or not at all: to compare each with each takes long.
        """
        branches = [(branch, branch.is_plain()) for branch in choice.branches]
        objects = [pair for pair in branches if isinstance(_meant(pair[0]), Object)]
        pairs: Iterable[tuple[tuple[Node, bool], tuple[Node, bool]]] = combinations(branches, 2)
        if _has_discriminator([cast("Object", _meant(branch)) for branch, _ in objects]):
            others = [pair for pair in branches if not isinstance(_meant(pair[0]), Object)]
            pairs = chain(combinations(others, 2), product(objects, others))
        elif sum(not is_plain for _, is_plain in branches) * len(branches) > _MOST_PAIRS:
            return False
        return all(
            (is_plain and is_other_plain) or self.are_disjoint(one, other)
            for (one, is_plain), (other, is_other_plain) in pairs
        )

    def are_disjoint(self, one: Node, other: Node) -> bool:
        """Whether it is certain that no value sent for one part can be sent for the other."""
        one, other = _meant(one), _meant(other)
        asked = (id(one), id(other))
        if asked not in self._found:
            self._found[asked] = False  # a recursive comparison is not certain
            self._found[asked] = self._look(one, other)
        return self._found[asked]

    def _look(self, one: Node, other: Node) -> bool:
        if not one.kinds() & other.kinds():
            return True
        if isinstance(one, Choice):
            return all(self.are_disjoint(branch, other) for branch in one.branches)
        if isinstance(other, Choice):
            return self.are_disjoint(other, one)
        if isinstance(one, Scalar) and isinstance(other, Scalar):
            values, others = fixed_values(one.keywords), fixed_values(other.keywords)
            if values is not None:
                return not any(other.accepts(value, {}) for value in values)
            return others is not None and not any(one.accepts(value, {}) for value in others)
        if isinstance(one, Object) and isinstance(other, Object):
            always, always_other = one.always_sent(), other.always_sent()
            if not (always <= other.fields.keys() and always_other <= one.fields.keys()):
                return True
            return any(self._fields_disjoint(one.fields[name], other.fields[name]) for name in always & always_other)
        return False

    def _fields_disjoint(self, one: Field, other: Field) -> bool:
        """Compare fields without following references, so that this terminates."""
        if one.nullable and other.nullable:
            return False
        if isinstance(one.node, Reference) or isinstance(other.node, Reference):
            return False
        if (one.nullable and "null" in other.node.kinds()) or (other.nullable and "null" in one.node.kinds()):
            return False
        return self.are_disjoint(one.node, other.node)


_MOST_PAIRS: Final = 40_000
"""Maximum pairs of branches of one choice that are compared, which takes half a second."""


def _has_discriminator(objects: Sequence[Object]) -> bool:
    """Whether a field that is always sent has other fixed values in each object."""
    if not objects:
        return False
    for name in frozenset[str].intersection(*(each.always_sent() for each in objects)):
        sent = [_fixed(each.fields[name]) for each in objects]
        values = [value for some in sent if some for value in some]
        if all(sent) and len(set(values)) == len(values):
            return True
    return False


def _fixed(part: Field) -> set[tuple[bool, Any]] | None:
    """Return the fixed values of a field that is not null; None if it takes others, or values that are no scalars."""
    values = fixed_values(part.node.keywords) if isinstance(part.node, Scalar) and not part.nullable else None
    if values is None or any(is_object(each) or is_array(each) for each in values):
        return None
    return {(isinstance(each, bool), each) for each in values}  # in JSON, `true` is not `1`, and `1` is `1.0`


def _meant(node: Node) -> Node:
    while isinstance(node, Reference) and node.target is not None:
        node = node.target
    return node


# Conditional properties: fields in the conditions of an object's schema that are not in its `properties`.

_DYNAMIC: Final = frozenset({"$dynamicRef", "$recursiveRef"})


def conditional_properties(part: Mapping[str, Any], whole: Mapping[str, Any]) -> set[str] | None:
    """Return the fields that a value may need because of subschemas applied to it.

    References in `whole` are followed; None if one cannot be resolved. Fields that are only in negated conditions, in
    `not` and `if`, are not needed.
    """
    found = set(_dependent(part))
    waiting = list(_applied(part, is_denied=False))
    seen: set[tuple[Any, bool]] = set()
    while waiting:
        schema, is_denied = waiting.pop()
        if not is_object(schema):
            continue
        found |= {*_names(schema.get("properties")), *_dependent(schema)}
        found |= set[str]() if is_denied else required_of(schema).keys()
        waiting += _applied(schema, is_denied=is_denied)
        reference = schema.get("$ref")
        if "$ref" in schema and (reference, is_denied) not in seen:
            target = target_of(schema, whole)
            if target is None:
                return None
            seen.add((reference, is_denied))
            waiting.append((target, is_denied))
        if not _DYNAMIC.isdisjoint(schema):
            return None
    return found


def _applied(part: Mapping[str, Any], *, is_denied: bool) -> Iterator[tuple[Any, bool]]:
    """Return the subschemas that apply to the same value, and whether they are negated."""
    for keyword in IN_PLACE_LIST:
        branches = part.get(keyword)
        if is_array(branches):
            yield from ((branch, is_denied) for branch in branches)
    for keyword in ("dependentSchemas", "dependencies"):
        schemas = part.get(keyword)
        if is_object(schemas):
            yield from ((schema, is_denied) for schema in schemas.values())
    yield from ((part.get(keyword), is_denied) for keyword in ("then", "else"))
    yield part.get("not"), not is_denied
    yield part.get("if"), True


def _dependent(part: Mapping[str, Any]) -> Iterator[str]:
    for keyword in ("dependentRequired", "dependencies"):
        names = part.get(keyword)
        if is_object(names):
            for each in names.values():
                yield from _names(each) if is_array(each) else ()


def _names(value: Any) -> Iterator[str]:
    if is_object(value) or is_array(value):
        yield from (name for name in value if isinstance(name, str))


_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "null", "array", "object"})
_IS_ALSO: Final[Mapping[str, str]] = {"integer": "number"}
_OF_TYPE: Final[Mapping[str, str]] = {
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"), "string"),
    **dict.fromkeys(("multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"), "number"),
    **dict.fromkeys((
        "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "minItems", "maxItems",
        "uniqueItems", "minContains", "maxContains",
    ), "array"),
    **dict.fromkeys((
        "properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames",
        "minProperties", "maxProperties", "required", "dependentRequired", "dependentSchemas", "dependencies",
    ), "object"),
}  # fmt: skip
"""Keywords that apply to one JSON type only."""

_NARROWING: Final = frozenset({
    *APPLICATORS, "properties", "items", "enum", "const", "required", "dependentRequired", "additionalProperties",
    "unevaluatedProperties", "patternProperties", "minProperties",
})  # fmt: skip
"""Keywords that, next to a reference, may require fields that the referenced closed object does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """The args of one tool in a strict mode. `schema` is empty if there are problems."""

    schema: Mapping[str, Any]
    problems: tuple[OfferProblem, ...] = ()
    differences: tuple[SchemaDifference, ...] = ()
    size: Size = NO_SIZE
    root: Object | None = None

    def project(self, args: Any) -> Any:
        """Convert args to the strict form. Raises `UnsupportedSchema`, only for parts reported as `tighter`."""
        return args if self.root is None else self.root.project(args, None)

    def restore(self, sent: Any) -> Any:
        """Convert args from the strict form. Raises `NotRestored` and RecursionError."""
        return sent if self.root is None else self.root.restore(sent, {}, None)


def project(tool: str, schema: Mapping[str, Any], dialect: StrictDialect) -> Projection:
    """Convert the args schema of a tool to a strict mode, or report why that is not possible."""
    too_deep = Projection(schema={}, problems=(OfferProblem(tool, f"is nested more than {DEEPEST} levels deep"),))
    if is_deeper(schema):
        return too_deep
    start, pointer = behind_references(schema)
    as_text: set[str] = set()
    while True:
        reading = _Reading(tool, schema, dialect, as_text)
        try:
            root = reading.read(start, pointer, is_root=True)
        except _TooDeepError:
            return too_deep
        if not isinstance(root, Object):
            reason = "the args are not a plain object, which strict mode requires"
            return Projection(schema={}, problems=(OfferProblem(tool, reason),))
        unsupported_parts = reading.unsupported_parts(root)
        if not unsupported_parts:
            break
        as_text |= unsupported_parts
    sent = root.schema()
    definitions = {reading.names[target]: node.schema() for target, node in reading.definitions.items()}
    if definitions:
        sent["$defs"] = definitions
    size = size_of(sent)
    problems = problems_of(tool, sent, size, dialect)
    if problems:
        return Projection(schema={}, problems=problems)
    return Projection(schema=sent, differences=tuple(reading.differences), size=size, root=root)


class _TooDeepError(Exception):
    """Nested parts, or references to references, are too deep."""


@dataclass(slots=True)
class _Reading:
    """One conversion of a schema. `as_text` are the parts that an earlier conversion found to need JSON text."""

    tool: str
    whole: Mapping[str, Any]
    dialect: StrictDialect
    as_text: set[str]
    differences: list[SchemaDifference] = field(default_factory=list[SchemaDifference])
    definitions: dict[str, Node] = field(default_factory=dict[str, "Node"])
    references: dict[str, list[Reference]] = field(default_factory=dict[str, list[Reference]])
    names: dict[str, str] = field(default_factory=dict[str, str])
    taken: set[str] = field(default_factory=set[str])
    numbers: dict[str, int] = field(default_factory=dict[str, int])
    open: list[str] = field(default_factory=lambda: ["#"])
    level: int = 0

    def read(self, schema: Any, pointer: str, *, is_root: bool = False) -> Node:
        """Convert one part of the schema. Raises `_TooDeepError`."""
        if self.level == DEEPEST:
            raise _TooDeepError
        self.level += 1
        node = self._read(schema, pointer, is_root=is_root)
        self.level -= 1
        return node

    def _read(self, schema: Any, pointer: str, *, is_root: bool) -> Node:
        if (
            not isinstance(schema, dict)
            or pointer in self.as_text
            or (pointer and is_resource(schema, id_keyword(self.whole)))
        ):
            return self._text(schema, pointer)
        part = cast("dict[str, Any]", schema)
        if "$ref" in part:
            return self._reference(part, pointer)
        values = fixed_values(part)
        if values is not None:
            return self._fixed(part, pointer, values)
        keywords = part.keys() - ANNOTATIONS - SILENT
        for keyword in ("anyOf", "oneOf"):
            if keyword in keywords and keywords <= {keyword, "type"}:
                return self._choice(part, pointer, keyword)
        if keywords == {"allOf"} and len(part["allOf"]) == 1 and isinstance(part["allOf"][0], dict):
            about = {name: value for name, value in part.items() if name != "allOf"}
            return self.read({**part["allOf"][0], **about}, f"{pointer}/allOf/0", is_root=is_root)
        kind = part.get("type")
        if isinstance(kind, list):
            return self._types(part, pointer, cast("list[str]", kind))
        if kind == "object":
            return self._object(part, pointer, is_root=is_root)
        if kind == "array":
            return self._array(part, pointer)
        return self._scalar(part, pointer) if kind in _TYPES else self._text(part, pointer)

    def _reference(self, part: dict[str, Any], pointer: str) -> Node:
        siblings = {name: value for name, value in part.items() if name != "$ref" and name not in SILENT}
        if is_old(self.whole):
            siblings = {
                name: value for name, value in siblings.items() if name in ANNOTATIONS
            }  # other keywords are ignored there
        steps = steps_to(part["$ref"])
        if steps is None or (found := at_steps(self.whole, steps)) is None:
            return self._text(part, pointer)
        target = f"#{pointer_of(steps)}"
        if (target in self.open and not self.dialect.recursion) or (siblings.keys() & _NARROWING):
            return self._text(part, pointer)
        name = "" if target == "#" else self._definition_name(target, steps)
        reference = Reference(pointer, self._about(siblings, pointer, ()), name)
        self.references.setdefault(target, []).append(reference)
        if target not in self.definitions and target not in self.open:
            self.open.append(target)
            self.definitions[target] = self.read(found, target[1:])
            self.open.pop()
        return reference

    def _fixed(self, part: dict[str, Any], pointer: str, values: list[Any]) -> Node:
        if not values or any(kind_of(value) in ("array", "object") for value in values):
            return self._text(part, pointer)
        keyword = "const" if "const" in part else "enum"
        types = list(dict.fromkeys(_type_of(value) for value in values))
        keywords = {"type": types[0] if len(types) == 1 else types, keyword: part[keyword]}
        allowed = _types_named(part) or types
        fitting = {"type"} if all(each in allowed or _IS_ALSO.get(each) in allowed for each in types) else set[str]()
        return Scalar(pointer, {**self._about(part, pointer, {keyword, *fitting}), **keywords})

    def _choice(self, part: dict[str, Any], pointer: str, keyword: str) -> Node:
        if not isinstance(part[keyword], list) or not part[keyword]:
            return self._text(part, pointer)
        given = cast("list[Any]", part[keyword])
        shares = "type" in part and all(isinstance(branch, dict) and "$ref" not in branch for branch in given)
        shared = {"type": part["type"]} if shares else {}
        branches = [
            self.read({**shared, **branch} if shared else branch, f"{pointer}/{keyword}/{index}")
            for index, branch in enumerate(given)
        ]
        if keyword == "oneOf":
            self.differences.append(SchemaDifference(self.tool, pointer, "oneOf", "looser"))
        fitting = (
            {"type"} if shares and all(branch.get("type", part["type"]) == part["type"] for branch in given) else ()
        )
        return Choice(pointer, self._about(part, pointer, {keyword, *fitting}), branches)

    def _types(self, part: dict[str, Any], pointer: str, kinds: list[str]) -> Node:
        about = {"title", "description"}
        branches: list[Node] = []
        for kind in kinds:
            own = {name: value for name, value in part.items() if name not in about and _applies(name, kind)}
            branches.append(self.read({**own, "type": kind}, pointer))
        others = {name for name in part if not any(_applies(name, kind) for kind in kinds)}
        return Choice(pointer, self._about(part, pointer, part.keys() - others), branches)

    def _object(self, part: dict[str, Any], pointer: str, *, is_root: bool) -> Node:
        properties, extra = part.get("properties", {}), part.get("additionalProperties", True)
        is_vacuous = "additionalProperties" in part or is_old(
            self.whole
        )  # then `unevaluatedProperties` applies to no field
        is_closed = extra is False or (part.get("unevaluatedProperties") is False and not is_vacuous)
        is_map = extra not in (True, False, {}) or part.get("patternProperties")
        is_free = not properties and not is_closed and not is_root
        required = dict.fromkeys(cast("list[str]", part.get("required", [])))
        conditional = conditional_properties(part, self.whole)
        is_short = conditional is None or not conditional <= {*properties, *required}
        is_short = is_short or part.get("minProperties", 0) > len({*properties, *required})
        if is_map or is_free or (extra is not False and is_short):
            return self._text(part, pointer)
        if not is_closed:
            self.differences.append(SchemaDifference(self.tool, pointer, "additionalProperties", "tighter"))
        declared = {name: schema for name, schema in properties.items() if schema is not False or name in required}
        declared |= {name: True for name in required if name not in declared}
        fields = {
            name: Field(
                self.read(schema, f"{pointer}/properties/{escape(name)}"),
                required=name in required,
                nullable=self.dialect.all_required and name not in required,
            )
            for name, schema in declared.items()
        }
        known = {"type", "properties", "required", "additionalProperties", "patternProperties"}
        known |= {"unevaluatedProperties"} if is_closed or is_vacuous else set()
        return Object(pointer, {**self._about(part, pointer, known), "type": "object"}, fields)

    def _array(self, part: dict[str, Any], pointer: str) -> Node:
        if "prefixItems" in part or isinstance(part.get("items"), list) or part.get("items") is False:
            return self._text(part, pointer)
        kept = {name for name, value in part.items() if self.dialect.knows("array", name, value)}
        keywords = {**self._about(part, pointer, {"type", "items", *kept}), "type": "array"}
        items = self.read(part.get("items", True), f"{pointer}/items")
        return Array(pointer, {**keywords, **{name: part[name] for name in part if name in kept}}, items)

    def _scalar(self, part: dict[str, Any], pointer: str) -> Node:
        kept = [name for name, value in part.items() if self.dialect.knows(part["type"], name, value)]
        about = self._about(part, pointer, {"type", *kept})
        return Scalar(pointer, {**about, "type": part["type"], **{name: part[name] for name in kept}})

    def _text(self, schema: Any, pointer: str) -> Node:
        """Send a part as JSON text, described to the model."""
        self.differences.append(SchemaDifference(self.tool, pointer, "", "looser"))
        part = cast("dict[str, Any]", schema) if isinstance(schema, dict) else {}
        description = described(part, part.keys() & ANNOTATIONS - {"title", "description"}).get("description", "")
        if not part.keys() - ANNOTATIONS - SILENT:
            return Text(pointer, f"{description} (any JSON value, as JSON text)".strip())
        schema = {name: value for name, value in part.items() if name not in ANNOTATIONS}
        schema |= definitions_reached(schema, self.whole)
        text = f"JSON text of a value that fits {compact_json(schema)}"
        return Text(pointer, f"{description} ({text})" if description else text)

    def _about(self, part: Mapping[str, Any], pointer: str, kept: Any) -> dict[str, Any]:
        """Return the annotations of a part, with dropped keywords in its description; the difference is recorded."""
        moved = [name for name in part if name not in kept and name not in ("title", "description")]
        self.differences += [
            SchemaDifference(self.tool, pointer, name, "looser") for name in moved if name in ASSERTIONS
        ]
        return described(part, moved)

    def _definition_name(self, reference: str, steps: Sequence[str]) -> str:
        """Return a unique name of a definition, close to the original one."""
        if reference not in self.names:
            is_definition = len(steps) == 2 and steps[0] in DEFINITIONS
            words = steps[1] if is_definition else "/".join(steps)
            name = re.sub(r"[^A-Za-z0-9_.-]+", "_", words) or "_"
            self.names[reference] = free_name(name, self.taken, self.numbers)
            self.taken.add(self.names[reference])
        return self.names[reference]

    def unsupported_parts(self, root: Object) -> set[str]:
        """Link references to their targets; return the parts that need JSON text, and record lost nulls."""
        targets = {"#": root, **self.definitions}
        tie(targets, self.references)
        nodes = list(all_of(targets.values()))
        circular = {node.pointer for node in nodes if isinstance(node, Reference) and is_self_reference(node)}
        if circular:
            return circular
        for node in nodes:
            if isinstance(node, Object):
                nulls = (each.node for each in node.fields.values() if each.nullable and "null" in each.node.kinds())
                self.differences += [SchemaDifference(self.tool, null.pointer, "type", "tighter") for null in nulls]
        comparison = Comparison()
        return {node.pointer for node in nodes if isinstance(node, Choice) and not comparison.is_distinguishable(node)}


def _types_named(part: Mapping[str, Any]) -> list[str]:
    kind = part.get("type", [])
    return cast("list[str]", kind) if isinstance(kind, list) else [kind]


def _type_of(value: Any) -> str:
    kind = kind_of(value)
    return "integer" if kind == "number" and value == int(value) else kind


def _applies(keyword: str, kind: str) -> bool:
    """Whether a keyword applies to values of one type; some apply to all."""
    about = _OF_TYPE.get(keyword)
    return about is None or about == kind or (about == "number" and kind == "integer")
