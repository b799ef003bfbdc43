"""Subschemas: the keywords that contain schemas, and the depth of schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.json_values import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")

IN_PLACE: Final = ("if", "then", "else", "not")
IN_PLACE_LIST: Final = ("allOf", "anyOf", "oneOf")
IN_PLACE_MAP: Final = ("dependentSchemas", "dependencies")
"""Keywords whose schemas apply to the same value as the schema that they stand in."""

APPLIED_IN_PLACE: Final = frozenset({*IN_PLACE, *IN_PLACE_LIST, *IN_PLACE_MAP})
"""All of these."""

LISTED: Final = frozenset({"items", "prefixItems", *IN_PLACE_LIST})
"""Keywords that hold a list of schemas; `items` may, in drafts before 2020-12."""

DEEPEST: Final = 100
"""Maximum nesting of JSON values, in a schema that is processed and in a definition that is inlined."""

DEFINITIONS: Final = ("$defs", "definitions")
_SCHEMA: Final = frozenset({
    *("additionalProperties", "items", "additionalItems", "contains", "propertyNames", "not", "if", "then", "else"),
    *("unevaluatedItems", "unevaluatedProperties", "contentSchema"),
})  # fmt: skip
_SCHEMA_MAP: Final = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies", *DEFINITIONS})


def definitions_of(schema: Any) -> dict[str, Any]:
    """Return the definitions of a schema by the references to them."""
    return {
        f"#/{keyword}/{name}": each
        for keyword in DEFINITIONS
        if is_object(schema) and is_object(schema.get(keyword))
        for name, each in schema[keyword].items()
    }


def schemas_below(keyword: str, value: Any) -> Iterator[Any]:
    """Return the schemas directly below a keyword."""
    if is_array(value):
        yield from value if keyword in LISTED else ()
    elif is_object(value):
        if keyword in _SCHEMA_MAP:
            yield from value.values()
        elif keyword in _SCHEMA:
            yield value


def with_schemas(keyword: str, value: Any, change: Callable[[Any], Any]) -> Any:
    """Return the value of a keyword with `change` applied to the schemas directly below it."""
    if is_array(value) and keyword in LISTED:
        return [change(each) for each in value]
    if is_object(value) and keyword in _SCHEMA_MAP:
        return {name: change(each) for name, each in value.items()}
    return change(value) if is_object(value) and keyword in _SCHEMA else value


def is_deeper(value: Any, levels: int = DEEPEST) -> bool:
    """Whether a value is nested more than `levels` deep."""
    below: Collection[Any] = value.values() if is_object(value) else value if is_array(value) else ()
    return bool(below) and (levels == 0 or any(is_deeper(each, levels - 1) for each in below))
