"""Keywords of JSON Schema with subschemas, for all supported drafts."""

from __future__ import annotations

from typing import Final

REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")

IN_PLACE: Final = ("if", "then", "else", "not")
IN_PLACE_LIST: Final = ("allOf", "anyOf", "oneOf")
IN_PLACE_MAP: Final = ("dependentSchemas", "dependencies")
"""Keywords whose schemas apply to the same value as the schema that they stand in."""

APPLIED_IN_PLACE: Final = frozenset({*IN_PLACE, *IN_PLACE_LIST, *IN_PLACE_MAP})
"""All of these."""

LISTED: Final = frozenset({"items", "prefixItems", *IN_PLACE_LIST})
"""Keywords that hold a list of schemas; `items` may, in drafts before 2020-12."""
