"""Containment: whether all values that one schema accepts are accepted by another.

Decided on normal forms, keyword by keyword: sound, and not complete. Where it is not certain, the answer is no.
"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.comparison.normal_form import TooLargeError, is_closed, normal_form
from toolgen.schema.comparison.well_formed import is_well_formed
from toolgen.schema.json_values import canonical, is_array, is_object, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_UNDECIDED: Final = frozenset({
    *("$ref", "$dynamicRef", "$recursive", "unevaluatedProperties", "unevaluatedItems", "additionalItems"),
    *("contains", "minContains", "maxContains"),
})  # fmt: skip
"""Keywords whose meaning depends on others beside them; containment in them is only decided by equality."""

_ALL_TYPES: Final = frozenset({"null", "boolean", "object", "array", "number", "string"})


class SchemaChange(StrEnum):
    """How the values that a new schema accepts relate to those of an old one."""

    SAME = "same"
    MORE = "more"
    FEWER = "fewer"
    OTHER = "other"


def schema_change(before: Any, after: Any) -> SchemaChange:
    """Return how a schema changed; `OTHER` where it accepts neither more nor fewer, or where that cannot be decided."""
    try:
        old, new = normal_form(before), normal_form(after)
    except (TooLargeError, RecursionError):
        return SchemaChange.OTHER
    if canonical(old) == canonical(new):
        return SchemaChange.SAME
    if not (is_well_formed(old) and is_well_formed(new)):
        return SchemaChange.OTHER
    if is_contained(old, new):
        return SchemaChange.MORE
    return SchemaChange.FEWER if is_contained(new, old) else SchemaChange.OTHER


def is_contained(inner: Any, outer: Any) -> bool:
    """Return whether each value that `inner` accepts is certainly accepted by `outer`; both in normal form."""
    if outer is True or inner is False or _is_equal(inner, outer):
        return True
    if inner is True:
        inner = {}
    if not is_object(inner) or not is_object(outer) or _UNDECIDED & outer.keys() or "$ref" in inner:
        return False
    branches = inner.get("anyOf")
    if is_array(branches) and inner.keys() <= {"anyOf", "type"}:
        shared = {keyword: value for keyword, value in inner.items() if keyword != "anyOf"}
        return all(is_contained({**shared, **branch} if is_object(branch) else branch, outer) for branch in branches)
    fixed = _fixed_values(inner)
    if fixed is not None and outer.keys() <= {"enum", "const"}:
        return fixed <= (_fixed_values(outer) or frozenset())
    return all(
        _CONTAINED[keyword](inner, outer)
        if keyword in _CONTAINED
        else keyword in inner and _is_equal(inner[keyword], value)
        for keyword, value in outer.items()
    )


def _is_equal(inner: Any, outer: Any) -> bool:
    return canonical(inner) == canonical(outer) and is_closed(inner)


def _fixed_values(schema: Mapping[str, Any]) -> frozenset[bytes] | None:
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    return None if values is None else frozenset(map(canonical, values))


def _types(schema: Mapping[str, Any]) -> frozenset[str]:
    if "enum" in schema or "const" in schema:
        values = [schema["const"]] if "const" in schema else schema["enum"]
        return frozenset(map(kind_of, values))
    kinds = schema.get("type")
    if kinds is None:
        return _ALL_TYPES
    return frozenset(kinds if is_array(kinds) else [kinds])


def _are_types_contained(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> bool:
    wanted = _types({"type": outer["type"]})
    wider = wanted | {"integer"} if "number" in wanted else wanted
    return _types(inner) <= wider


def _among(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> bool:
    fixed, allowed = _fixed_values(inner), _fixed_values(outer)
    return fixed is not None and allowed is not None and fixed <= allowed


def _is_at_least(keyword: str) -> Callable[[Mapping[str, Any], Mapping[str, Any]], bool]:
    return lambda inner, outer: keyword in inner and inner[keyword] >= outer[keyword]


def _is_at_most(keyword: str) -> Callable[[Mapping[str, Any], Mapping[str, Any]], bool]:
    return lambda inner, outer: keyword in inner and inner[keyword] <= outer[keyword]


def _is_multiple(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> bool:
    if "multipleOf" not in inner:
        return False
    return Fraction(str(inner["multipleOf"])) % Fraction(str(outer["multipleOf"])) == 0


def _are_required(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> bool:
    return set(outer["required"]) <= set(inner.get("required", ()))


def _are_properties_contained(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> bool:
    """Whether each field of the outer schema is at least as narrow in the inner, also where that does not name it."""
    if "patternProperties" in inner:
        return False
    present, rest = inner.get("properties", {}), inner.get("additionalProperties", True)
    return all(is_contained(present.get(name, rest), schema) for name, schema in outer["properties"].items())


def _are_others_contained(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> bool:
    """Whether each field that the outer schema does not name is accepted by its `additionalProperties`."""
    if "patternProperties" in inner or "patternProperties" in outer:
        return False
    named, rest = outer.get("properties", {}), outer["additionalProperties"]
    more = [schema for name, schema in inner.get("properties", {}).items() if name not in named]
    return all(is_contained(schema, rest) for schema in (*more, inner.get("additionalProperties", True)))


def _are_items_contained(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> bool:
    if "prefixItems" in inner or "prefixItems" in outer:
        return False
    return is_contained(inner.get("items", True), outer["items"])


def _is_in_a_branch(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> bool:
    return _is_equal(inner.get("anyOf"), outer["anyOf"]) or any(
        is_contained(inner, branch) for branch in outer["anyOf"]
    )


_CONTAINED: Final[Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], bool]]] = {
    "type": _are_types_contained,
    "enum": _among,
    "const": _among,
    **{name: _is_at_least(name) for name in ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")},
    **{name: _is_at_most(name) for name in ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")},
    "multipleOf": _is_multiple,
    "required": _are_required,
    "properties": _are_properties_contained,
    "additionalProperties": _are_others_contained,
    "items": _are_items_contained,
    "anyOf": _is_in_a_branch,
}
"""What decides a keyword of the outer schema; any other keyword must be equal on both sides."""
