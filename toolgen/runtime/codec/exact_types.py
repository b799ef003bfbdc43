"""Exact types: those that check by themselves all that their schema asks, so that JSON text needs one step only.

What matters is one direction: whatever pydantic builds of a text, the schema accepts. A text that pydantic refuses
takes the careful way, and may prove valid there: `1.0` is an integer.
"""

from __future__ import annotations

import math
from enum import IntEnum
from types import NoneType
from typing import Any, Final, Literal, NamedTuple, get_args, get_origin

from toolgen.runtime.codec.pydantic_types import (
    bare,
    constraints_of,
    model_class,
    type_of,
    wire_name,
    without_none,
)
from toolgen.runtime.codec.schema_profile import definitions_of
from toolgen.schema.json_types import is_array, is_object

_NOTES: Final = frozenset({
    "$comment", "$defs", "$schema", "default", "definitions", "deprecated", "description", "examples", "format",
    "readOnly", "title", "writeOnly",
})  # fmt: skip
"""Keywords that check nothing, as formats do unless a target asserts them."""

_BOUNDS: Final = {"minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt"}
_CONSTRAINTS: Final = {
    **_BOUNDS, "multipleOf": "multiple_of",
    "minLength": "min_length", "maxLength": "max_length", "pattern": "pattern",
    "minItems": "min_length", "maxItems": "max_length",
}  # fmt: skip
"""Keywords, and the arguments of pydantic's `Field` that check the same, where the generator wrote them."""

_OBJECT: Final = frozenset({"type", "properties", "required", "additionalProperties"})
_SCALARS: Final = {"string": str, "integer": int, "boolean": bool}

_NULL: Final = {"type": "null"}
_DEEPEST: Final = 50


class Exactness(IntEnum):
    """For which texts a type is exact. In most types None stands for absent where the schema has no null."""

    NEVER = 0
    WITHOUT_NULL = 1
    ALWAYS = 2


class ExactType(NamedTuple):
    """For which texts a type is exact, and whether it holds floats: pydantic lets NaN and infinite ones pass."""

    exactness: Exactness
    has_floats: bool


def exact_type(schema: Any, kind: Any) -> ExactType:
    """Compare a JSON Schema that asserts no formats with the class that was generated from it."""
    comparison = _Comparison(schema)
    exactness = comparison.compare(schema, kind, _DEEPEST) if model_class(kind) else Exactness.NEVER
    return ExactType(exactness, comparison.has_floats)


class _Comparison:
    def __init__(self, root: Any) -> None:
        self._definitions = definitions_of(root)
        self._known: dict[tuple[str, Any], Exactness] = {}
        self.has_floats = False

    def compare(self, node: Any, kind: Any, room: int) -> Exactness:
        kind, none_fits = without_none(kind)
        node, null_fits = _without_null(node)
        exact = self._compare(node, kind, room - 1) if room and is_object(node) else Exactness.NEVER
        return min(exact, Exactness.WITHOUT_NULL) if none_fits and not null_fits else exact

    def _compare(self, node: dict[str, Any], kind: Any, room: int) -> Exactness:
        node = {key: value for key, value in node.items() if key not in _NOTES and not key.startswith("x-")}
        if "$ref" in node:
            return self._compare_definition(node["$ref"], kind, room) if len(node) == 1 else Exactness.NEVER
        if node.get("type") == "number":
            return self._compare_number(node, kind)
        checked = constraints_of(kind)
        if any(checked.get(_CONSTRAINTS[key]) != value for key, value in node.items() if key in _CONSTRAINTS):
            return Exactness.NEVER
        kind = bare(kind)
        match {key: value for key, value in node.items() if key not in _CONSTRAINTS}:
            case {"type": "array", "items": items, **rest} if not rest and get_origin(kind) is list:
                return self.compare(items, get_args(kind)[0], room)
            case {"type": "object", **rest} if rest.keys() <= _OBJECT:
                return self._compare_fields(node, kind, room)
            case {"enum": words, **rest} if rest in ({}, {"type": "string"}) and get_origin(kind) is Literal:
                is_same = all(isinstance(word, str) and word in words for word in get_args(kind))
                return Exactness.ALWAYS if is_same else Exactness.NEVER
            case {"const": str(word), **rest} if rest in ({}, {"type": "string"}) and get_origin(kind) is Literal:
                return Exactness.ALWAYS if get_args(kind) == (word,) else Exactness.NEVER
            case {"type": str(name), **rest} if not rest and name in _SCALARS and kind is _SCALARS[name]:
                return Exactness.ALWAYS
            case _:
                return Exactness.NEVER

    def _compare_number(self, node: dict[str, Any], kind: Any) -> Exactness:
        """A number is `int | float`; integers have the bounds that say the same of them."""
        members = {bare(member): constraints_of(member) for member in get_args(kind) if member is not NoneType}
        self.has_floats = True
        is_same = members.keys() == {int, float} and all(
            keyword in _BOUNDS
            and members[float].get(_BOUNDS[keyword]) == bound
            and members[int].get(_BOUNDS[keyword]) == _whole(_BOUNDS[keyword], bound)
            for keyword, bound in node.items()
            if keyword != "type"
        )
        return Exactness.ALWAYS if is_same else Exactness.NEVER

    def _compare_definition(self, ref: str, kind: Any, room: int) -> Exactness:
        key = (ref, kind)
        if key not in self._known:
            self._known[key] = Exactness.NEVER  # until it is known: recursion has no bound but the text's
            self._known[key] = self.compare(self._definitions.get(ref), kind, room)
        return self._known[key]

    def _compare_fields(self, node: dict[str, Any], kind: Any, room: int) -> Exactness:
        model = model_class(kind)
        if model is None or not model.model_config.get("strict") or model.model_config.get("extra") != "forbid":
            return Exactness.NEVER
        fields = {wire_name(name, field): field for name, field in model.model_fields.items()}
        properties = node.get("properties", {})
        if not fields.keys() <= properties.keys() or any(
            name not in fields or not fields[name].is_required() for name in node.get("required", ())
        ):
            return Exactness.NEVER
        found = (self.compare(properties[name], type_of(field), room) for name, field in fields.items())
        return min(found, default=Exactness.ALWAYS)


def _whole(name: str, bound: float) -> int:
    return math.ceil(bound) if name in ("ge", "lt") else math.floor(bound)


def _without_null(node: Any) -> tuple[Any, bool]:
    """Take null out of a schema that allows one thing beside it; say whether it did."""
    if not is_object(node):
        return node, False
    if is_array(branches := node.get("anyOf")) and len(branches) == 2 and _NULL in branches:
        rest = {key: value for key, value in node.items() if key != "anyOf" and key not in _NOTES}
        return (None if rest else branches[1 - branches.index(_NULL)]), True
    if is_array(types := node.get("type")) and len(types) == 2 and "null" in types and "enum" not in node:
        return {**node, "type": types[1] if types[0] == "null" else types[0]}, True
    return node, False
