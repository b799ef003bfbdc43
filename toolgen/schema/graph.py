"""The schemas of a document, and which are applied to a value itself, its fields, and its items.

References are resolved as in JSON Schema, by base URI (`$id`), anchor and JSON pointer, for all supported drafts.
References without a target in the document are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from urllib.parse import urljoin

from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.keywords import APPLIED_IN_PLACE, IN_PLACE, IN_PLACE_LIST, IN_PLACE_MAP, REFERENCES, schemas_below
from toolgen.schema.references import child, parsed

# Strongly connected components of a graph.

T = TypeVar("T", bound=Hashable)


def components(nodes: Iterable[T], below: Callable[[T], Iterable[T]]) -> Iterator[list[T]]:
    """Return the components reachable from `nodes`, each after its successors (Tarjan's algorithm)."""
    order: dict[T, int] = {}
    low: dict[T, int] = {}
    stack: list[T] = []
    open_: set[T] = set()
    for start in nodes:
        path = [] if start in order else [(start, iter(below(start)))]
        while path:
            node, rest = path[-1]
            if node not in order:
                order[node] = low[node] = len(order)
                stack.append(node)
                open_.add(node)
            following = next(rest, None)
            if following is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    group = _taken_off(stack, node)
                    open_.difference_update(group)
                    yield group
            elif following not in order:
                path.append((following, iter(below(following))))
            elif following in open_:
                low[node] = min(low[node], order[following])


def _taken_off(stack: list[T], last: T) -> list[T]:
    group = [stack.pop()]
    while group[-1] != last:
        group.append(stack.pop())
    return group


Schema = dict[str, Any]

IN_PLACE_KEYWORDS: Final = APPLIED_IN_PLACE.union(REFERENCES)
"""Keywords that apply schemas to the value itself."""

_OWN_BASE: Final = "toolgen:///schema"
_REF_STANDS_ALONE: Final = ("draft-04", "draft-06", "draft-07")
"""Drafts that ignore keywords next to a `$ref`."""

_PARTS: Final = frozenset({
    *("additionalItems", "additionalProperties", "contains", "items", "patternProperties", "prefixItems"),
    *("properties", "propertyNames", "unevaluatedItems", "unevaluatedProperties"),
})  # fmt: skip
"""Keywords that apply schemas to the parts of a value."""


@dataclass(frozen=True, slots=True)
class Below:
    """The schemas that one schema applies to the parts of a value.

    `fields` by name; `other_fields` to all fields except the named ones; `some_fields` possibly to some of these;
    `places` by index; `items` to all from an index on; `names` to the names of fields.
    """

    fields: dict[str, Schema]
    other_fields: list[tuple[Schema, dict[str, Any]]]
    some_fields: list[tuple[Schema, dict[str, Any]]]
    places: dict[int, Schema]
    items: list[tuple[Schema, int]]
    names: list[Schema]

    def all(self) -> list[Schema]:
        """Return all of them."""
        rest = [*self.other_fields, *self.some_fields, *self.items]
        return [*self.fields.values(), *self.places.values(), *self.names, *(each for each, _ in rest)]


_NOTHING_BELOW: Final = Below({}, [], [], {}, [], [])


class SchemaGraph:
    """The schemas of one document. A schema is identified by its `id()`, so the document must outlive the graph."""

    def __init__(self, root: Any) -> None:
        self.root: Schema = root if is_object(root) else {}
        declared = self.root.get("$schema")
        self._ref_stands_alone = isinstance(declared, str) and any(each in declared for each in _REF_STANDS_ALONE)
        self._base: dict[int, str] = {}
        self._resources: dict[str, Schema] = {}
        self._anchors: dict[tuple[str, str], Schema] = {}
        self._dynamic: dict[str, dict[str, Schema]] = {}
        self._outermost: dict[str, list[Schema]] = {}
        self._in_place: dict[int, list[tuple[str, Schema]]] = {}
        self._below: dict[int, Below] = {}
        self._has_alternatives = False
        self._index(self.root, _OWN_BASE)

    def in_place(self, schema: Schema) -> list[tuple[str, Schema]]:
        """Return the schemas that a schema applies to the same value, each with its keyword."""
        known = self._in_place.get(id(schema))
        if known is None:
            known = self._in_place[id(schema)] = list(self._find_in_place(schema))
        return known

    @property
    def has_alternatives(self) -> bool:
        """Whether any of the schemas is a list of alternatives."""
        return self._has_alternatives

    @property
    def size(self) -> int:
        """The number of schemas in the document, including those that are only referenced."""
        return len(self._base)

    def below(self, schema: Schema) -> Below:
        """Return the schemas that a schema applies to the parts of a value."""
        known = self._below.get(id(schema))
        if known is None:
            known = self._below[id(schema)] = self._find_below(schema)
        return known

    def _find_below(self, schema: Schema) -> Below:
        if _PARTS.isdisjoint(schema) or self._is_only_ref(schema):
            return _NOTHING_BELOW
        found = Below({}, [], [], {}, [], [])
        fields = schema.get("properties")
        named = fields if is_object(fields) else {}
        found.fields.update((name, each) for name, each in named.items() if is_object(each))
        found.other_fields.extend((each, named) for each in _objects([schema.get("additionalProperties")]))
        patterns = schema.get("patternProperties")
        found.some_fields.extend((each, {}) for each in _objects(patterns.values() if is_object(patterns) else ()))
        found.some_fields.extend((each, named) for each in _objects([schema.get("unevaluatedProperties")]))
        items = schema.get("items")
        listed = items if is_array(items) else schema.get("prefixItems")
        places = listed if is_array(listed) else []
        found.places.update((index, each) for index, each in enumerate(places) if is_object(each))
        rest = [schema.get("additionalItems") if is_array(items) else items, schema.get("unevaluatedItems")]
        found.items.extend((each, len(places)) for each in _objects(rest))
        found.items.extend((each, 0) for each in _objects([schema.get("contains")]))
        found.names.extend(_objects([schema.get("propertyNames")]))
        return found

    def _index(self, start: Schema, base: str) -> None:
        """Store the base URIs of a schema and its subschemas, and their names."""
        stack = [(start, base)]
        while stack:
            schema, base = stack.pop()
            if id(schema) in self._base:
                continue
            if not self._is_only_ref(schema):
                base = self._note_names(schema, base)
            elif schema is self.root:
                self._resources[base] = schema  # of which its definitions are parts all the same
            self._base[id(schema)] = base
            self._has_alternatives = self._has_alternatives or "anyOf" in schema or "oneOf" in schema
            stack += [
                (each, base) for keyword, value in schema.items() for each in _objects(schemas_below(keyword, value))
            ]

    def _note_names(self, schema: Schema, base: str) -> str:
        for keyword in ("$id", "id"):
            name = schema.get(keyword)
            if isinstance(name, str) and name.startswith("#"):
                self._anchors.setdefault((base, name[1:]), schema)
            elif isinstance(name, str) and (keyword == "$id" or "$schema" in schema or "://" in name):
                base = _joined(base, name)
        if schema is self.root or base not in self._resources:
            self._resources.setdefault(base, schema)
        for keyword in ("$anchor", "$dynamicAnchor"):
            name = schema.get(keyword)
            if isinstance(name, str):
                self._anchors.setdefault((base, name), schema)
        if isinstance(name := schema.get("$dynamicAnchor"), str):
            self._dynamic.setdefault(name, {}).setdefault(base, schema)
        if schema.get("$recursiveAnchor") is True:
            self._dynamic.setdefault("", {}).setdefault(base, schema)
        return base

    def _find_in_place(self, schema: Schema, *, is_static: bool = False) -> Iterator[tuple[str, Schema]]:
        if IN_PLACE_KEYWORDS.isdisjoint(schema):
            return
        if isinstance(schema.get("$ref"), str):
            yield from (("$ref", each) for each in _objects([self._target(schema["$ref"], schema)]))
        if self._is_only_ref(schema):
            return
        for keyword in ("$dynamicRef", "$recursiveRef"):
            if isinstance(schema.get(keyword), str):
                find = self._static_targets if is_static else self._dynamic_targets
                yield from ((keyword, each) for each in find(schema[keyword], schema))
        for keyword in IN_PLACE:
            yield from ((keyword, each) for each in _objects([schema.get(keyword)]))
        for keyword in IN_PLACE_LIST:
            listed = schema.get(keyword)
            yield from ((keyword, each) for each in _objects(listed if is_array(listed) else ()))
        for keyword in IN_PLACE_MAP:
            named = schema.get(keyword)
            yield from ((keyword, each) for each in _objects(named.values() if is_object(named) else ()))

    def _target(self, reference: str, schema: Schema) -> Any:
        parts = parsed(reference)
        if parts is None:
            return None
        base = self._base.get(id(schema), _OWN_BASE)
        uri = _joined(base, parts.resource) if parts.resource else base
        found: Any = self._resources.get(uri.rstrip("#"))
        if found is None:
            return None
        if parts.anchor:
            return self._anchors.get((uri, parts.anchor))
        base = uri
        for step in parts.steps:
            found = child(found, step)
            base = self._base.get(id(found), base)
        if is_object(found):
            self._index(found, base)
        return found

    def _static_targets(self, reference: str, schema: Schema) -> list[Schema]:
        return _objects([self._target(reference, schema)])

    def _dynamic_targets(self, reference: str, schema: Schema) -> list[Schema]:
        """Return the targets of a dynamic reference: the outermost resource with a schema of that name."""
        target = self._target(reference, schema)
        name = reference.rpartition("#")[2]
        if not any(each is target for each in self._dynamic.get(name, {}).values()):
            return [target] if is_object(target) else []
        if name not in self._outermost:
            self._outermost[name] = self._find_outermost(name)
        return self._outermost[name] or [target]

    def _find_outermost(self, name: str) -> list[Schema]:
        """Return the schemas with a name in the resources that can be outermost."""
        found: dict[int, Schema] = {}
        seen, waiting = set[int](), [self.root]
        while waiting:
            schema = waiting.pop()
            if id(schema) in seen:
                continue
            seen.add(id(schema))
            named = self._dynamic[name].get(self._base.get(id(schema), _OWN_BASE))
            if named is not None:
                found[id(named)] = named
                continue
            waiting += [each for _, each in self._find_in_place(schema, is_static=True)]
            waiting += self.below(schema).all()
        return list(found.values())

    def _is_only_ref(self, schema: Schema) -> bool:
        return self._ref_stands_alone and isinstance(schema.get("$ref"), str)


def _objects(values: Any) -> list[Schema]:
    return [each for each in values if is_object(each)]


def _joined(base: str, place: str) -> str:
    try:
        return urljoin(base, place).rstrip("#")
    except ValueError:
        return place.rstrip("#")
