"""Parts of a schema that no value fits: the schema is valid, but certainly not intended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.resolve.schemas.keywords import subschemas
from toolgen.schema.json_values import is_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.resolve.schemas.schemas import Bundle

_BOUNDS: Final = (
    ("minimum", "maximum"),
    ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)
_ALL_BOUNDS: Final = frozenset(name for pair in _BOUNDS for name in pair)
_ON_PURPOSE: Final = frozenset({"dependencies", "dependentSchemas", "else", "if", "not", "then"})
"""Under these keywords, schemas that no value fits are used on purpose, to forbid something."""

_LOOSENS: Final = frozenset({"$ref", "patternProperties"})
"""Next to these, `additionalProperties: false` may allow fields that are not in `properties`."""


def check_contradictions(bundle: Bundle, span: Span, sink: Diagnostics) -> None:
    """Report parts that no value fits."""
    for pointer, schema in subschemas(bundle.json, skipped=_ON_PURPOSE):
        for keyword, message, fix in _contradictions(schema):
            sink.report("TG214", bundle.span([*pointer, keyword], span), message, fix=fix)


def _contradictions(schema: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Return the keyword, the error, and how to fix it."""
    for low, high in _BOUNDS if not _ALL_BOUNDS.isdisjoint(schema) else ():
        least, most = schema.get(low), schema.get(high)
        if is_number(least) and is_number(most) and (least > most or (least == most and "exclusive" in low + high)):
            yield low, f"no value fits: `{low}` is {least}, and `{high}` is {most}", "swap them, or remove one"
    if schema.get("enum") == []:
        yield "enum", "no value fits: `enum` lists none", "list the allowed values, or remove `enum`"
    for name in _forbidden(schema):
        message = f"no object fits: `{name}` is required, but no such field is allowed"
        yield "required", message, f"add `{name}` to `properties`, or remove it from `required`"


def _forbidden(schema: dict[str, Any]) -> list[str]:
    """Return the fields that are required and not allowed."""
    properties, required = schema.get("properties", {}), schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return []
    others = schema.get("additionalProperties") is not False or not _LOOSENS.isdisjoint(schema)
    return [name for name in required if properties.get(name, others) is False]
