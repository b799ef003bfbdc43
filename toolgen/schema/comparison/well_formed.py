"""Well-formed schemas: each keyword has a value of the kind that JSON Schema gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.json_values import is_array, is_number, is_object
from toolgen.schema.subschemas import schemas_below

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def is_well_formed(schema: Any) -> bool:
    """Return whether a schema in draft 2020-12, or its normal form, can be read: servers may send anything."""
    if isinstance(schema, bool):
        return True
    if not is_object(schema):
        return False
    return all(_KINDS[keyword](value) for keyword, value in schema.items() if keyword in _KINDS) and all(
        is_well_formed(part) for keyword, value in schema.items() for part in schemas_below(keyword, value)
    )


def _are_texts(value: Any) -> bool:
    return is_array(value) and all(isinstance(each, str) for each in value)


def _is_schema(value: Any) -> bool:
    return isinstance(value, bool) or is_object(value)


def _are_schemas(value: Any) -> bool:
    return is_array(value) and all(map(_is_schema, value))


def _is_map(value: Any) -> bool:
    return is_object(value) and all(map(_is_schema, value.values()))


def _is_positive(value: Any) -> bool:
    return is_number(value) and value > 0


_KINDS: Final[Mapping[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(("properties", "patternProperties", "dependentSchemas", "$defs"), _is_map),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), _are_schemas),
    **dict.fromkeys(("not", "if", "then", "else", "contains", "propertyNames", "additionalProperties"), _is_schema),
    **dict.fromkeys(("additionalItems", "unevaluatedItems", "unevaluatedProperties", "contentSchema"), _is_schema),
    **dict.fromkeys(("maximum", "minimum", "minLength", "maxLength", "minItems", "maxItems"), is_number),
    **dict.fromkeys(("minProperties", "maxProperties", "minContains", "maxContains"), is_number),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), is_number),
    "multipleOf": _is_positive,
    "items": _is_schema,
    "enum": is_array,
    "required": _are_texts,
    "type": lambda value: isinstance(value, str) or _are_texts(value),
}
