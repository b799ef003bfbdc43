"""Args: what specs change in the schema of a tool's args, and which fields of it are secret."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from toolgen.schema.drafts import is_old
from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.keywords import (
    ANNOTATIONS,
    DEFINITIONS,
    IN_PLACE,
    IN_PLACE_LIST,
    IN_PLACE_MAP,
    REFERENCES,
    SILENT,
    is_deeper,
    subschemas,
)
from toolgen.schema.references import at, definitions_reached, escape, id_keyword, is_resource

# `one_of` of a spec: args of which exactly one is given.


def with_one_of(schema: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the schema of args, exactly one of which must be given."""
    if not names:
        return dict(schema)
    choice = {"oneOf": [{"required": [name]} for name in names]}
    if "oneOf" not in schema:
        return {**schema, **choice}
    others = schema.get("allOf")
    return {**schema, "allOf": [*(others if is_array(others) else ()), choice]}


# The schema of args without injected fields: it rejects them, and does not require them.


def without_fields(
    schema: Mapping[str, Any], injected: Collection[str], *, is_old: bool, id_keyword: str = "$id"
) -> dict[str, Any]:
    """Return the schema of an object that rejects some fields. A closed one need not mention them.

    `is_old` is whether its draft ignores keywords beside a `$ref`; `id_keyword` is the draft's keyword for its URI.
    """
    relaxed: dict[str, Any] = _Relaxing(schema, injected, is_old=is_old, id_keyword=id_keyword).part(schema)
    closed = relaxed.get("additionalProperties") is False and "patternProperties" not in relaxed
    refused = {} if closed else dict.fromkeys(injected, False)
    fields = relaxed.get("properties")
    properties = {name: field for name, field in fields.items() if name not in injected} if is_object(fields) else {}
    return {**relaxed, "properties": {**properties, **refused}}


class _Relaxing:
    """Removes fields from `required` wherever it applies to the root: directly, in `allOf`, and in `$ref` targets."""

    def __init__(self, root: Mapping[str, Any], injected: Collection[str], *, is_old: bool, id_keyword: str) -> None:
        self._root = root
        self._injected = injected
        self._is_old = is_old
        self._id_keyword = id_keyword
        self._behind: dict[str, Any] = {}

    def part(self, schema: Any) -> Any:
        """Return a converted schema that applies to the root's value."""
        if not is_object(schema) or (schema is not self._root and self._is_apart(schema)):
            return schema
        reference = schema.get("$ref")
        target = at(self._root, reference)
        relaxed = self._behind.get(str(reference))
        if relaxed is None:
            self._behind[str(reference)] = target  # until computed: recursive references are unchanged
            self._behind[str(reference)] = relaxed = self.part(target)
        if self._is_old and "$ref" in schema:
            return schema if relaxed == target else relaxed
        made = dict(schema)
        if is_array(required := schema.get("required")):
            made["required"] = [name for name in required if name not in self._injected]
            if not made["required"]:
                del made["required"]
        others = schema.get("allOf")
        parts = [self.part(each) for each in others] if is_array(others) else []
        if relaxed != target:
            del made["$ref"]
            parts.append(relaxed)
        return {**made, "allOf": parts} if parts else made

    def _is_apart(self, schema: dict[str, Any]) -> bool:
        """Whether a schema is a resource of its own, whose references do not lead into this one."""
        if self._is_old and "$ref" in schema:
            return False
        return is_resource(schema, self._id_keyword)


# The schema of args as models are shown it: no field that the host injects is named in it.


def without_injected(schema: Mapping[str, Any], injected: Collection[str]) -> dict[str, Any]:
    """Return the schema of args without injected fields, and without the definitions that only they use.

    They are left out of every part that applies to the args themselves, not of fields below. `schema` rejects them
    (`without_fields`), so it accepts the same args otherwise. One that is nested too deeply keeps them in its parts.
    """
    if not injected:
        return dict(schema)
    shown: dict[str, Any] = _Hiding(schema, injected).part(schema)
    own = {keyword: value for keyword, value in shown.items() if keyword not in DEFINITIONS}
    reached = definitions_reached(own, schema)
    kept = {keyword: _used(schema[keyword], reached.get(keyword, {})) for keyword in DEFINITIONS if keyword in shown}
    return {**own, **{keyword: used for keyword, used in kept.items() if used}}


def _used(definitions: Any, reached: Collection[str]) -> Any:
    """Return the definitions that a reference leads to, or may lead to by a name of their own."""
    if not is_object(definitions):
        return definitions
    return {
        name: each
        for name, each in definitions.items()
        if name in reached or any(not _NAMED.isdisjoint(part) for _, part in subschemas(each))
    }


_NAMED: Final = frozenset({"$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"})


class _Hiding:
    """Removes fields from every part of a schema that applies to the root's value."""

    def __init__(self, root: Mapping[str, Any], hidden: Collection[str]) -> None:
        self._root = root
        self._hidden = hidden
        self._is_old = is_old(root)
        self._is_deep = is_deeper(root)
        self._behind: dict[str, Any] = {}

    def part(self, schema: Any) -> Any:
        """Return a part that applies to the root's value, without the fields; the part itself if it names none."""
        if not is_object(schema) or (schema is not self._root and is_resource(schema, id_keyword(self._root))):
            return schema
        if self._is_old and "$ref" in schema:
            return self._target(schema["$ref"], schema)
        made = {keyword: self._inside(keyword, value) for keyword, value in schema.items()}
        target = self._target(schema.get("$ref"), None)
        if target is not None:
            del made["$ref"]
            made = _joined(made, target)
        if made == schema:
            return schema
        may_be_empty = made.keys() - {"allOf", *(() if schema is self._root else ("properties",))}
        return {name: value for name, value in made.items() if value or name in may_be_empty}

    def _target(self, reference: Any, unchanged: Any) -> Any:
        """Return what a reference leads to, without the fields; `unchanged` if it names none of them."""
        target = at(self._root, reference)
        if str(reference) not in self._behind:
            self._behind[str(reference)] = target  # until it is known: recursive references stay
            self._behind[str(reference)] = self.part(target)
        shown = self._behind[str(reference)]
        return unchanged if shown is target else shown

    def _inside(self, keyword: str, value: Any) -> Any:
        if keyword in ("properties", "dependentRequired", *IN_PLACE_MAP) and is_object(value):
            value = {name: each for name, each in value.items() if name not in self._hidden}
        if keyword in ("dependentRequired", "dependencies") and is_object(value):
            value = {name: self._listed(each) for name, each in value.items()}
        if keyword == "required":
            value = self._listed(value)
        if self._is_deep:
            return value
        if keyword in IN_PLACE_MAP and is_object(value):
            return {name: self.part(each) for name, each in value.items()}
        if keyword in IN_PLACE_LIST and is_array(value):
            parts = [(each, self.part(each)) for each in value]
            return [shown for each, shown in parts if keyword != "allOf" or shown is each or shown]
        return self.part(value) if keyword in IN_PLACE else value

    def _listed(self, names: Any) -> Any:
        return [name for name in names if name not in self._hidden] if is_array(names) else names


def _joined(schema: dict[str, Any], target: dict[str, Any]) -> dict[str, Any]:
    """Join a schema with one that a reference in it led to."""
    beside = {name: value for name, value in schema.items() if name != "properties" or value}
    says_more = beside.keys() - ANNOTATIONS - SILENT - {"type"}
    if not says_more and beside.get("type", target.get("type")) == target.get("type"):
        return {**target, **beside}
    others = schema.get("allOf")
    return {**schema, "allOf": [*(others if is_array(others) else ()), target]}


def keyword_with(schema: Mapping[str, Any], name: str) -> str:
    """Return the keyword that keeps a field from being injected; empty if there is none.

    It requires the field of callers, who do not send it, or declares it in a part that models are shown. `schema` is
    one that rejects the field (`without_fields`).
    """
    for part in _in_place(schema):
        listed = {
            "required": [part.get("required")],
            **{keyword: _values(part.get(keyword)) for keyword in ("dependentRequired", "dependencies")},
            "propertyNames": _values(part.get("propertyNames")),
        }
        found = (keyword for keyword, lists in listed.items() if any(is_array(each) and name in each for each in lists))
        if keyword := next(found, ""):
            return keyword
    shown = without_injected(schema, [name])
    return "properties" if any(name in _keys(part.get("properties")) for part in _in_place(shown)) else ""


def _in_place(root: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield every part of a schema that applies to the root's value, also in resources of their own."""
    waiting: list[Any] = [root]
    seen = set[int]()
    while waiting:
        part = waiting.pop()
        if not is_object(part) or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        waiting.append(at(root, part.get("$ref")))
        waiting += [part.get(keyword) for keyword in IN_PLACE]
        for keyword in IN_PLACE_LIST:
            waiting += part[keyword] if is_array(part.get(keyword)) else ()
        for keyword in IN_PLACE_MAP:
            waiting += _values(part.get(keyword))


def _values(value: Any) -> Collection[Any]:
    return value.values() if is_object(value) else ()


def _keys(value: Any) -> Collection[str]:
    return value.keys() if is_object(value) else ()


# The secret fields of a schema.

_STEPS: Final = 20_000
"""Maximum steps of the walk; a schema that needs more (repeatedly nested types) counts as secret as a whole."""

_SECRET: Final = {"writeOnly": True}
_BELOW: Final = (
    "additionalItems", "additionalProperties", "contains", "items", "prefixItems", "unevaluatedItems",
    "unevaluatedProperties",
)  # fmt: skip

_APART: Final = "$id"
"""Stands among the references behind a part that is inside a subschema with a base URI of its own."""

_Visit = tuple[Any, str, frozenset[str]]


def secret_pointers(schema: Any) -> tuple[str, ...]:
    """Return the JSON pointers of values marked `format: password` or `writeOnly: true`, with `*` for any index or key.

    A recursive type is followed once; anything deeper is secret as a whole if the type marks anything, and so is the
    target of a reference that is not a plain pointer, or that is in a subschema with a base URI of its own.
    """
    if not _marks_any(schema):
        return ()
    return _Walk(schema).marked()


def _is_marked(schema: dict[str, Any]) -> bool:
    return schema.get("format") == "password" or schema.get("writeOnly") is True


def _marks_any(value: Any) -> bool:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if is_object(node):
            if _is_marked(node):
                return True
            waiting += [inner for inner in node.values() if isinstance(inner, dict | list)]
        elif is_array(node):
            waiting += [inner for inner in node if isinstance(inner, dict | list)]
    return False


class _Walk:
    """A walk through the parts of a schema, on all paths."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._id_keyword = id_keyword(root)
        self._reaching: dict[str, bool] = {}

    def marked(self) -> tuple[str, ...]:
        """Return the pointers of secret values."""
        found: set[str] = set()
        queue: list[_Visit] = [(self._root, "", frozenset())]
        for _ in range(_STEPS):
            if not queue:
                return tuple(sorted(found))
            node, pointer, seen = queue.pop()
            if is_object(node):
                if _is_marked(node):
                    found.add(pointer)
                queue.extend(self._parts(node, pointer, seen))
        return ("",)

    def _parts(self, schema: dict[str, Any], pointer: str, seen: frozenset[str]) -> Iterator[_Visit]:
        if self._is_apart(schema):
            seen |= {_APART}
        for keyword in REFERENCES:
            if keyword in schema:
                reference = str(schema[keyword])
                yield self._referred(reference, seen), pointer, seen | {reference}
        for name, inner in _entries(schema.get("properties")):
            yield inner, f"{pointer}/{escape(name)}", seen
        for keyword in _BELOW:
            value = schema.get(keyword)
            for inner in value if is_array(value) else [value]:
                yield inner, f"{pointer}/*", seen
        for _, inner in _entries(schema.get("patternProperties")):
            yield inner, f"{pointer}/*", seen
        for keyword in (*IN_PLACE, "propertyNames"):  # an object whose keys are secret is secret as a whole
            yield schema.get(keyword), pointer, seen
        for keyword in (*IN_PLACE_LIST, *IN_PLACE_MAP):
            for _, inner in _entries(schema.get(keyword)):
                yield inner, pointer, seen

    def _referred(self, reference: str, seen: frozenset[str]) -> Any:
        """Return the target of a reference. One that cannot be followed (again) counts as secret, or as empty."""
        target = None if _APART in seen else at(self._root, reference)
        if target is None:
            return _SECRET
        if reference not in seen:
            return target
        if reference not in self._reaching:
            self._reaching[reference] = self._reaches_mark(target)
        return _SECRET if self._reaching[reference] else None

    def _reaches_mark(self, schema: Any) -> bool:
        """Whether anything in a schema, or in its references, is marked."""
        pending, met = [schema], set[int]()
        while pending:
            node = pending.pop()
            if is_object(node) and id(node) not in met:
                if _is_marked(node) or self._is_apart(node):
                    return True
                met.add(id(node))
                pending += [inner for inner, _, _ in self._parts(node, "", frozenset())]
        return False

    def _is_apart(self, schema: dict[str, Any]) -> bool:
        """Whether references in a schema lead into itself, and not into the root."""
        return schema is not self._root and is_resource(schema, self._id_keyword)


def _entries(value: Any) -> Iterator[tuple[Any, Any]]:
    if is_object(value):
        yield from value.items()
    elif is_array(value):
        yield from enumerate(value)
