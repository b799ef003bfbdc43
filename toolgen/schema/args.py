"""Args: what specs change in the schema of a tool's args, and which fields of it are secret."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.keywords import IN_PLACE, IN_PLACE_LIST, IN_PLACE_MAP, REFERENCES
from toolgen.schema.references import at, escape, id_keyword, is_resource

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
