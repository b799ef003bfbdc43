"""Schema text: keywords that a provider's schema does not support, written into a description for the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolgen.schema.json_values import compact_json

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


def described(schema: Mapping[str, Any], moved: Iterable[str]) -> dict[str, Any]:
    """Return `title` and `description`, with the `moved` keywords of the schema in the description."""
    about = {name: schema[name] for name in ("title", "description") if isinstance(schema.get(name), str)}
    keywords = {name: schema[name] for name in moved if has_meaning(name)}
    if keywords:
        text = f"JSON Schema: {compact_json(keywords)}"
        about["description"] = f"{about['description']} ({text})" if about.get("description") else text
    return about


def has_meaning(keyword: str) -> bool:
    """Whether a keyword says anything of a value; one that JSON Schema does not have may, unless it starts so."""
    return keyword not in SILENT and not keyword.startswith("x-")
