"""Plain schemas: those whose valid values hold no surprise, so that codecs may take the short way."""

from __future__ import annotations

from typing import Any, Final

from toolgen.runtime.json_text import is_object

_SURPRISES: Final = ("$ref", "$dynamicRef", "$recursiveRef", "anyOf", "oneOf", "patternProperties", "prefixItems")


def is_plain(schema: Any) -> bool:
    """Whether a valid value holds only what `schema` spells out: scalars by type, closed objects, arrays of these.

    Then the validator refuses every infinite number (it does so wherever a type is asked for), and no object has a
    key that its class lacks.
    """
    if not is_object(schema) or any(keyword in schema for keyword in _SURPRISES):
        return False
    named = schema.get("type", "string" if "enum" in schema else ())
    types = {named} if isinstance(named, str) else set(named)
    if "object" in types and not _is_closed(schema):
        return False
    if "array" in types and not is_plain(schema.get("items")):
        return False
    return bool(types)


def _is_closed(schema: dict[str, Any]) -> bool:
    return schema.get("additionalProperties") is False and all(map(is_plain, schema.get("properties", {}).values()))
