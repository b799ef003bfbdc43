"""Keywords: which of them hold schemas, reject values or only describe, and the schemas below them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from toolgen.schema.json_values import compact_json, is_array, is_object

REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")

IN_PLACE: Final = ("if", "then", "else", "not")
IN_PLACE_LIST: Final = ("allOf", "anyOf", "oneOf")
IN_PLACE_MAP: Final = ("dependentSchemas", "dependencies")
"""Keywords whose schemas apply to the same value as the schema that they stand in."""

APPLIED_IN_PLACE: Final = frozenset({*IN_PLACE, *IN_PLACE_LIST, *IN_PLACE_MAP})
"""All of these."""

SCHEMA_LIST: Final = frozenset({"items", "prefixItems", *IN_PLACE_LIST})
"""Keywords whose value is a list of schemas; that of `items` may be one, in drafts before 2020-12."""

DEEPEST: Final = 100
"""Maximum nesting of JSON values, in a schema that is processed and in a definition that is inlined."""

DEFINITIONS: Final = ("$defs", "definitions")
SCHEMA: Final = frozenset({
    *("additionalProperties", "items", "additionalItems", "contains", "propertyNames", "not", "if", "then", "else"),
    *("unevaluatedItems", "unevaluatedProperties", "contentSchema"),
})  # fmt: skip
"""Keywords whose value is a schema."""

SCHEMA_MAP: Final = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies", *DEFINITIONS})
"""Keywords whose value is a map of names to schemas."""

ANNOTATIONS: Final = frozenset({
    "default", "deprecated", "examples", "example", "readOnly", "writeOnly", "contentEncoding", "contentMediaType",
    "contentSchema", "title", "description", "$comment",
})  # fmt: skip
"""Keywords that do not affect validation."""

SILENT: Final = frozenset({"$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$comment",
                           "$vocabulary", "$defs", "definitions"})  # fmt: skip
"""Keywords without meaning for a model: they only matter when a schema is resolved."""

APPLICATORS: Final = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies")
"""Keywords that hold schemas for the same value."""

ASSERTIONS: Final = frozenset({
    "type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength",
    "minLength", "pattern", "format", "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains",
    "maxItems", "minItems", "uniqueItems", "maxContains", "minContains", "properties", "patternProperties",
    "additionalProperties", "unevaluatedProperties", "propertyNames", "maxProperties", "minProperties", "required",
    "dependentRequired", "$ref", "$dynamicRef", "$recursiveRef", *APPLICATORS,
})  # fmt: skip
"""Keywords that can reject a value; including `format`, which may be asserted."""


def schemas_below(keyword: str, value: Any) -> Iterator[Any]:
    """Return the schemas directly below a keyword."""
    if is_array(value):
        yield from value if keyword in SCHEMA_LIST else ()
    elif is_object(value):
        if keyword in SCHEMA_MAP:
            yield from value.values()
        elif keyword in SCHEMA:
            yield value


def with_schemas(keyword: str, value: Any, change: Callable[[Any], Any]) -> Any:
    """Return the value of a keyword with `change` applied to the schemas directly below it."""
    if is_array(value) and keyword in SCHEMA_LIST:
        return [change(each) for each in value]
    if is_object(value) and keyword in SCHEMA_MAP:
        return {name: change(each) for name, each in value.items()}
    return change(value) if is_object(value) and keyword in SCHEMA else value


def subschemas(
    schema: Any, path: Sequence[str | int] = (), *, skipped: Container[str] = ()
) -> Iterator[tuple[list[str | int], dict[str, Any]]]:
    """Return a schema and its subschemas, except under `skipped` keywords, each with its path."""
    if not is_object(schema):
        return
    yield [*path], schema
    for keyword, value in schema.items():
        if keyword in skipped:
            continue
        if keyword in SCHEMA_MAP and is_object(value):
            for name, inner in value.items():
                yield from subschemas(inner, [*path, keyword, name], skipped=skipped)
        elif keyword in SCHEMA_LIST and is_array(value):
            for index, inner in enumerate(value):
                yield from subschemas(inner, [*path, keyword, index], skipped=skipped)
        elif keyword in SCHEMA:
            yield from subschemas(value, [*path, keyword], skipped=skipped)


def required_of(schema: Any) -> dict[str, None]:
    """Return the names of the fields that an object's schema requires, each once, in order.

    Schemas of others may list anything: what is no text is no name.
    """
    listed = schema.get("required") if is_object(schema) else None
    return dict.fromkeys(each for each in listed if isinstance(each, str)) if is_array(listed) else {}


def is_deeper(value: Any, levels: int = DEEPEST) -> bool:
    """Whether a value is nested more than `levels` deep."""
    level: list[Any] = [value] if isinstance(value, dict | list) else []
    for _ in range(levels):
        level = [inner for each in level for inner in _members(each) if isinstance(inner, dict | list)]
        if not level:
            return False
    return any(level)


def _members(value: Any) -> Collection[Any]:
    return value.values() if is_object(value) else value


def described(schema: Mapping[str, Any], moved: Iterable[str]) -> dict[str, Any]:
    """Return `title` and `description`, with the `moved` keywords of the schema in the description."""
    about = {name: schema[name] for name in ("title", "description") if isinstance(schema.get(name), str)}
    keywords = {name: schema[name] for name in moved if _has_meaning(name)}
    if keywords:
        text = f"JSON Schema: {compact_json(keywords)}"
        about["description"] = f"{about['description']} ({text})" if about.get("description") else text
    return about


def _has_meaning(keyword: str) -> bool:
    """Whether a keyword says anything of a value; one that JSON Schema does not have may, unless it starts so."""
    return keyword not in SILENT and not keyword.startswith("x-")
