"""Fields: the named fields of an object's schema, a record for each, which documents for people format."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.keywords import required_of
from toolgen.schema.references import target_of

MOST_REFERENCES: Final = 8
"""Maximum references that are followed one after another."""

_BOUNDS: Final = (
    *("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "pattern", "format"),
    *("minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"),
)
_WITH_VALUES: Final = ("items", "additionalProperties", "anyOf", "oneOf", "allOf")
"""Keywords with the schemas of a value's alternatives and parts."""


@dataclass(frozen=True, slots=True)
class SchemaField:
    """One field. `written` is its schema as it stands, `schema` also has what the schema refers to.

    `schema` is empty for `true` and `false`. `reference` is the last of the references that lead to it, or empty.
    """

    name: str
    written: Any
    schema: Mapping[str, Any]
    reference: str
    required: bool

    @property
    def description(self) -> str:
        """Its own description: a named type has one of its own."""
        own = self.written if is_object(self.written) else {}
        return str(own.get("description", "")) or ("" if self.reference else str(self.schema.get("description", "")))


def fields_of(node: Any, root: Any) -> Iterator[SchemaField]:
    """Yield the fields of an object; `allOf` is merged. Patterns of names are fields too, as `/pattern/`."""
    if not is_object(node):
        return
    members = [node, *merged(node, root)]
    required = {name for each in members for name in required_of(each)}
    seen = set[str]()
    for each in members:
        properties = each.get("properties")
        for name, schema in properties.items() if is_object(properties) else ():
            if name not in seen:
                seen.add(name)
                yield _field(name, schema, root, required=name in required)
        patterns = each.get("patternProperties")
        for pattern, schema in patterns.items() if is_object(patterns) else ():
            yield _field(f"/{pattern}/", schema, root, required=False)
    for name in sorted(required - seen):
        yield _field(name, True, root, required=True)


def defaults_of(schema: Any) -> dict[str, Any]:
    """Return the values that args have when they are left out, by name: of the field, or of the type that it names.

    What checks a call, what a person is shown of it and what runs it go by these. Of several the first one counts.
    """
    found: dict[str, Any] = {}
    for part in parts_of(schema, schema):
        properties = part.get("properties")
        for name, field in properties.items() if is_object(properties) else ():
            if name not in found and (default := default_among([field], schema)):
                found[name] = default["default"]
    return found


def parts_of(schema: Any, root: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the schemas that describe a value together, each once, in the order in which the compiler reads them.

    That is what a schema refers to, itself, its `allOf`.
    """
    stack: list[tuple[Any, bool]] = [(schema, False)]
    seen = set[tuple[int, bool]]()
    while stack:
        node, is_followed = stack.pop()
        if not is_object(node) or (id(node), is_followed) in seen:
            continue
        seen.add((id(node), is_followed))
        if "$ref" in node and not is_followed:
            stack += [(node, True), (target_of(node, root), False)]
            continue
        yield node
        stack += [(part, False) for part in reversed(_schemas(node.get("allOf")))]


def default_among(schemas: Iterable[Any], root: Any) -> dict[str, Any]:
    """Return the default of a field that is described by several schemas, as `default`; empty without one.

    It is that of the first schema that has one, itself or in what it refers to.
    """
    for schema in schemas:
        for each in (schema, resolved(schema, root)[0]):
            if is_object(each) and "default" in each:
                return {"default": each["default"]}
    return {}


def _field(name: str, schema: Any, root: Any, *, required: bool) -> SchemaField:
    target, reference = resolved(schema, root)
    own, found = (each if is_object(each) else {} for each in (schema, target))
    return SchemaField(name, schema, {**found, **own}, reference, required)


def merged(node: Mapping[str, Any], root: Any) -> list[dict[str, Any]]:
    """Return the members of `allOf`, and theirs, each once."""
    found: list[dict[str, Any]] = []
    queue, seen = deque(_schemas(node.get("allOf"))), {id(node)}
    while queue:
        each, _ = resolved(queue.popleft(), root)
        if is_object(each) and id(each) not in seen:
            seen.add(id(each))
            found.append(each)
            queue.extend(_schemas(each.get("allOf")))
    return found


def resolved(node: Any, root: Any) -> tuple[Any, str]:
    """Follow references; return the schema, and the last reference. What leads nowhere is any JSON."""
    last = ""
    for _ in range(MOST_REFERENCES):
        if not is_object(node) or not isinstance(reference := node.get("$ref"), str):
            return node, last
        last, found = reference, target_of(node, root)
        node = True if found is None else found
    return True, last


def fields_named(names: frozenset[str], schema: Any, root: Any) -> dict[str, SchemaField]:
    """Return the fields of the first object that has all of these, in a schema, its alternatives, items and values."""
    queue, seen = deque([schema]), set[int]()
    while queue:
        node = queue.popleft()
        if not is_object(node) or "properties" not in node:  # what names fields beside a reference is an object itself
            node, _ = resolved(node, root)
        if not is_object(node) or id(node) in seen:
            continue
        seen.add(id(node))
        found = {each.name: each for each in fields_of(node, root)}
        if names <= found.keys():
            return found
        for keyword in _WITH_VALUES:
            inner = node.get(keyword, [])
            queue.extend(inner if is_array(inner) else [inner])
    return {}


def bounds_of(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the keywords that bound a value, always in the same order, with their values as text."""
    for keyword in _BOUNDS:
        if keyword in schema:
            value = schema[keyword]
            yield keyword, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _schemas(value: Any) -> list[Any]:
    return value if is_array(value) else []
