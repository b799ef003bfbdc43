"""JSON Schema's keywords by the kind of their values, for all supported drafts."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Final

from toolgen.schema.keywords import SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from toolgen.schema.references import is_resource

# Suggestions for types in the syntax of other languages, and for the short form inside JSON Schema.

_WORDS: Final = frozenset({"string", "integer", "number", "boolean", "object", "null", "any"})
_LIST: Final = re.compile(r"(.+)\[\]|(?:[Aa]rray|[Ll]ist)(?:\[(.+)\]|<(.+)>)")


_ELSEWHERE: Final = {
    **dict.fromkeys(("list", "array", "tuple", "set"), "a list of texts is `[string]`"),
    **dict.fromkeys(("dict", "map", "json"), "any object is `object`; one with fields is a map of them"),
    **dict.fromkeys(("datetime", "timestamp"), "write `{type: string, format: date-time}`"),
    **{name: f"write `{{type: string, format: {name}}}`" for name in ("date", "time", "uuid", "email", "uri")},
}
"""How to write the types of other languages."""


def respelled_type(text: str, known: Collection[str]) -> str:
    """Return how to write `string|null`, `string?`, `string[]` or `date` in a spec; empty for other texts."""
    if text in _ELSEWHERE:
        return _ELSEWHERE[text]
    if text.endswith("?") and text[:-1] in known:
        return f"the mark of an optional field goes after its name: `name?: {text[:-1]}`"
    if (match := _LIST.fullmatch(text)) and (item := match[1] or match[2] or match[3]) in known:
        return f"write `[{item}]`"
    parts = [part.strip() for part in text.split("|")]
    if len(parts) < 2 or not known or any(part not in known for part in parts):
        return ""
    if any(_is_named(part) or part == "any" for part in parts):
        return f"write `{{anyOf: [{', '.join(map(_as_schema, parts))}]}}`"
    return f"write `{{type: [{', '.join(map(_quoted, parts))}]}}`"


def respelled_schema(value: Any) -> str:
    """Return how to write the short form of a schema inside JSON Schema; empty for other values."""
    match value:
        case str() if value in _WORDS or (_is_named(value) and value.isidentifier()):
            return f"inside JSON Schema write `{_as_schema(value)}`"
        case [str(item)] if item in _WORDS or _is_named(item):
            return f"inside JSON Schema write `{{type: array, items: {_as_schema(item)}}}`"
        case _:
            return ""


def _as_schema(word: str) -> str:
    if _is_named(word):
        return f'{{$ref: "#/types/{word}"}}'
    return "{}" if word == "any" else f"{{type: {_quoted(word)}}}"


def _is_named(word: str) -> bool:
    return word[:1].isupper()


def _quoted(word: str) -> str:
    """Quote `null`, which would be a value without quotes."""
    return '"null"' if word == "null" else word


ALL: Final = SCHEMA | SCHEMA_LIST | SCHEMA_MAP | frozenset({
    "$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor", "$recursiveRef", "$ref",
    "$schema", "$vocabulary", "const", "contentEncoding", "contentMediaType", "default", "dependentRequired",
    "deprecated", "description", "enum", "examples", "exclusiveMaximum", "exclusiveMinimum", "format", "id",
    "maxContains", "maxItems", "maxLength", "maxProperties", "maximum", "minContains", "minItems", "minLength",
    "minProperties", "minimum", "multipleOf", "pattern", "readOnly", "required", "title", "type", "uniqueItems",
    "writeOnly",
})  # fmt: skip

RAW: Final = frozenset({"type", "properties", "enum", "const", "allOf", "anyOf", "oneOf"}).union(
    keyword for keyword in ALL if keyword.startswith("$")
)
"""A map with one of these keys is JSON Schema; any other is the fields of an object."""

CORE: Final = frozenset({
    "$comment", "$schema", "additionalProperties", "default", "description", "enum", "exclusiveMaximum",
    "exclusiveMinimum", "items", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength",
    "minProperties", "minimum", "multipleOf", "properties", "required", "title", "type",
})  # fmt: skip
"""The keywords of profile `core` (spec-language.md, section 1)."""

DIALECTS: Final = {
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft-07": "http://json-schema.org/draft-07/schema#",
    "draft-06": "http://json-schema.org/draft-06/schema#",
    "draft-04": "http://json-schema.org/draft-04/schema#",
}
"""The supported drafts, and the `$schema` of each."""


_SINCE: Final = {
    **dict.fromkeys(("const", "contains", "propertyNames"), "draft-06"),
    **dict.fromkeys(("else", "if", "then"), "draft-07"),
    **dict.fromkeys(("$anchor", "$recursiveAnchor", "$recursiveRef"), "2019-09"),
    **dict.fromkeys(("dependentRequired", "dependentSchemas", "maxContains", "minContains"), "2019-09"),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties"), "2019-09"),
    **dict.fromkeys(("$dynamicAnchor", "$dynamicRef", "prefixItems"), "2020-12"),
}
_UNTIL: Final = dict.fromkeys(("$recursiveAnchor", "$recursiveRef", "additionalItems"), "2019-09")


def _foreign(dialect: str) -> dict[str, str]:
    newest_first = list(DIALECTS)
    age = newest_first.index(dialect)
    newer, older = newest_first[:age], newest_first[age + 1 :]
    later = {keyword: f"it came with {since}" for keyword, since in _SINCE.items() if since in newer}
    former = {keyword: f"it was dropped after {until}" for keyword, until in _UNTIL.items() if until in older}
    return {**later, **former}


FOREIGN: Final = {dialect: _foreign(dialect) for dialect in DIALECTS}
"""For each draft: the keywords that check something in others only, and since or until when."""


def dialect_of(uri: str) -> str | None:
    """The draft that a `$schema` names, or None."""
    return next((name for name, known in DIALECTS.items() if known.rstrip("#") == uri.rstrip("#")), None)


ANCHORS: Final = ("$anchor", "$dynamicAnchor")
"""Keywords that name a part of a document."""


def id_keyword(dialect: str) -> str:
    """Return the keyword for the URI of a schema in a draft."""
    return "id" if dialect == "draft-04" else "$id"


def resource_name(schema: dict[str, Any], dialect: str) -> str:
    """Return the URI of a schema that is a separate resource; empty if it has none.

    In the older drafts, keywords next to a `$ref` are ignored.
    """
    if "$ref" in schema and definitions_keyword(dialect) == "definitions":
        return ""
    keyword = id_keyword(dialect)
    return str(schema[keyword]) if is_resource(schema, keyword) else ""


def definitions_keyword(dialect: str) -> str:
    """Return the keyword for definitions in a draft."""
    return "$defs" if dialect in ("2020-12", "2019-09") else "definitions"
