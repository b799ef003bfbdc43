"""Exact types: those that check everything that their schema checks, so that JSON text needs only one step.

Only one direction matters: the schema must accept every text that pydantic accepts. A text that pydantic rejects
takes the slow path, and may be valid there: `1.0` is an integer.
"""

from __future__ import annotations

from enum import Flag
from types import NoneType
from typing import Any, Final, Literal, get_args, get_origin

from toolgen.runtime.codec.pydantic_types import bare, constraints_of, model_class, type_of, wire_name, without_none
from toolgen.schema.json_values import BOUNDS_OF_NUMBERS, is_array, is_object, whole_bound
from toolgen.schema.references import at_steps, steps_to

_NOTES: Final = frozenset({
    "$comment", "$defs", "$schema", "default", "definitions", "deprecated", "description", "examples", "format",
    "readOnly", "title", "writeOnly",
})  # fmt: skip
"""Keywords that check nothing; `format` is one unless a target asserts formats."""

_CONSTRAINTS: Final = {
    **BOUNDS_OF_NUMBERS, "multipleOf": "multiple_of",
    "minLength": "min_length", "maxLength": "max_length", "pattern": "pattern",
    "minItems": "min_length", "maxItems": "max_length",
}  # fmt: skip
"""Keywords, and the arguments of pydantic's `Field` that check the same, as the generator writes them."""

_OBJECT: Final = frozenset({"type", "properties", "required", "additionalProperties"})
_SCALARS: Final = {"string": str, "integer": int, "boolean": bool}

_NULL: Final = {"type": "null"}
_DEEPEST: Final = 50


class Doubt(Flag):
    """What a text must not contain for the type to accept only what the schema accepts."""

    NONE = 0
    NULL = 1
    """A null: in most types None means absent where the schema does not allow null."""
    ANY_JSON = 2
    """A non-finite number or too deep nesting: pydantic accepts both in `number` and in extra fields."""


def compare_type_to_schema(schema: Any, kind: Any) -> Doubt | None:
    """Compare a JSON Schema, without asserted formats, with the class generated from it; None if it is not exact.

    A text that contains none of the returned doubts can be decoded in one step.
    """
    return _Comparison(schema).compare(schema, kind, _DEEPEST) if model_class(kind) else None


class _Comparison:
    def __init__(self, root: Any) -> None:
        self._root = root
        self._known: dict[tuple[tuple[str, ...], Any], Doubt | None] = {}

    def compare(self, node: Any, kind: Any, room: int) -> Doubt | None:
        kind, none_fits = without_none(kind)
        node, null_fits = _without_null(node)
        found = self._compare(node, kind, room - 1) if room and is_object(node) else None
        return found | Doubt.NULL if found is not None and none_fits and not null_fits else found

    def _compare(self, node: dict[str, Any], kind: Any, room: int) -> Doubt | None:
        node = {key: value for key, value in node.items() if key not in _NOTES and not key.startswith("x-")}
        if "$ref" in node:
            return self._compare_definition(node["$ref"], kind, room) if len(node) == 1 else None
        if node.get("type") == "number":
            return _compare_number(node, kind)
        checked = constraints_of(kind)
        if any(checked.get(_CONSTRAINTS[key]) != value for key, value in node.items() if key in _CONSTRAINTS):
            return None
        kind = bare(kind)
        match {key: value for key, value in node.items() if key not in _CONSTRAINTS}:
            case {"type": "array", "items": items, **rest} if not rest and get_origin(kind) is list:
                return self.compare(items, get_args(kind)[0], room)
            case {"type": "object", **rest} if rest.keys() <= _OBJECT:
                return self._compare_fields(node, kind, room)
            case {"enum": words, **rest} if rest in ({}, {"type": "string"}) and get_origin(kind) is Literal:
                is_same = all(isinstance(word, str) and word in words for word in get_args(kind))
                return Doubt.NONE if is_same else None
            case {"const": str(word), **rest} if rest in ({}, {"type": "string"}) and get_origin(kind) is Literal:
                return Doubt.NONE if get_args(kind) == (word,) else None
            case {"type": str(name), **rest} if not rest and name in _SCALARS and kind is _SCALARS[name]:
                return Doubt.NONE
            case _:
                return None

    def _compare_definition(self, ref: Any, kind: Any, room: int) -> Doubt | None:
        if (steps := steps_to(ref)) is None:
            return None
        key = (steps, kind)
        if key not in self._known:
            self._known[key] = None  # until computed: recursion is bounded only by the text
            self._known[key] = self.compare(at_steps(self._root, steps), kind, room)
        return self._known[key]

    def _compare_fields(self, node: dict[str, Any], kind: Any, room: int) -> Doubt | None:
        model = model_class(kind)
        if model is None or not model.model_config.get("strict"):
            return None
        extra = model.model_config.get("extra")
        is_open = extra == "allow" and node.get("additionalProperties", True) is True
        if not is_open and extra != "forbid":
            return None
        fields = {wire_name(name, field): field for name, field in model.model_fields.items()}
        properties = node.get("properties", {})
        if not fields.keys() <= properties.keys() or any(
            name not in fields or not fields[name].is_required() for name in node.get("required", ())
        ):
            return None
        if is_open and not properties.keys() <= fields.keys():
            return None  # extra fields would not be checked
        found = Doubt.ANY_JSON if is_open else Doubt.NONE
        for name, field in fields.items():
            of_field = self.compare(properties[name], type_of(field), room)
            if of_field is None:
                return None
            found |= of_field
        return found


def _compare_number(node: dict[str, Any], kind: Any) -> Doubt | None:
    """A number is `int | float`; integers have equivalent bounds."""
    members = {bare(member): constraints_of(member) for member in get_args(kind) if member is not NoneType}
    is_same = members.keys() == {int, float} and all(
        keyword in BOUNDS_OF_NUMBERS
        and members[float].get(BOUNDS_OF_NUMBERS[keyword]) == bound
        and members[int].get(BOUNDS_OF_NUMBERS[keyword]) == whole_bound(BOUNDS_OF_NUMBERS[keyword], bound)
        for keyword, bound in node.items()
        if keyword != "type"
    )
    return Doubt.ANY_JSON if is_same else None


def _without_null(node: Any) -> tuple[Any, bool]:
    """Return a schema of one alternative and null without the null, and whether it had one."""
    if not is_object(node):
        return node, False
    if is_array(branches := node.get("anyOf")) and len(branches) == 2 and _NULL in branches:
        rest = {key: value for key, value in node.items() if key != "anyOf" and key not in _NOTES}
        return (None if rest else branches[1 - branches.index(_NULL)]), True
    if is_array(types := node.get("type")) and len(types) == 2 and "null" in types and "enum" not in node:
        return {**node, "type": types[1] if types[0] == "null" else types[0]}, True
    return node, False
