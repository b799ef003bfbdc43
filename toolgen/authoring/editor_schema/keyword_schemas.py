"""JSON Schema's keywords for editors: the schema and a description of each value, for all supported drafts."""

from __future__ import annotations

from typing import Any, Final

from toolgen.compiler.resolve.schemas.keywords import DIALECTS

_TYPES: Final = ["string", "integer", "number", "boolean", "object", "array", "null"]
_FORMATS: Final = [
    *("date", "date-time", "time", "duration", "uuid", "email", "hostname", "ipv4", "ipv6"),
    *("uri", "uri-reference", "uri-template", "iri", "json-pointer", "regex", "password"),
]

_PART: Final = {"$ref": "#/$defs/JsonSchema"}
_TEXT: Final = {"type": "string"}
_FLAG: Final = {"type": "boolean"}
_NUMBER: Final = {"type": "number"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_BOUND: Final = {"type": ["number", "boolean"]}
_PARTS: Final = {"type": "array", "items": _PART, "minItems": 1}
_NAMED_PARTS: Final = {"type": "object", "additionalProperties": _PART}
_NAMES: Final = {"type": "array", "items": _TEXT}
_ONE_TYPE: Final = {"enum": _TYPES}

_KEYWORDS: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "type": ({"anyOf": [_ONE_TYPE, {"type": "array", "items": _ONE_TYPE}]}, "The JSON type, or a list of types."),
    "title": (_TEXT, "A short name of the value, for people."),
    "description": (_TEXT, "What the value is, written for models."),
    "enum": ({"type": "array"}, "The values that are allowed."),
    "const": ({}, "The only value that is allowed."),
    "default": ({}, "The value that stands for an absent one."),
    "examples": ({"type": "array"}, "Typical values."),
    "deprecated": (_FLAG, "Whether the value should no longer be used."),
    "readOnly": (_FLAG, "Whether only the owner of the data sets the value."),
    "writeOnly": (_FLAG, "Whether the value is a secret, which is redacted in records."),
    "properties": (_NAMED_PARTS, "The fields of an object, by name."),
    "required": (_NAMES, "The names of the fields that must be present."),
    "additionalProperties": (_PART, "The schema of fields that are not named; `false` forbids them."),
    "patternProperties": (_NAMED_PARTS, "The schemas of fields whose names match a regular expression."),
    "propertyNames": (_PART, "The schema of the names of fields."),
    "minProperties": (_COUNT, "The least number of fields."),
    "maxProperties": (_COUNT, "The greatest number of fields."),
    "dependentRequired": (
        {"type": "object", "additionalProperties": _NAMES},
        "The fields that must be present if a field is.",
    ),
    "dependentSchemas": (_NAMED_PARTS, "The schemas of the object if a field is present."),
    "dependencies": (
        {"type": "object", "additionalProperties": {"anyOf": [_NAMES, _PART]}},
        "The fields, or the schema of the object, that a field needs (draft-07 and older).",
    ),
    "unevaluatedProperties": (_PART, "The schema of fields that no other part of the schema describes."),
    "items": ({"anyOf": [_PART, _PARTS]}, "The schema of each item of an array, after those of `prefixItems`."),
    "prefixItems": (_PARTS, "The schemas of the first items, one for each place."),
    "additionalItems": (_PART, "The schema of the items after those of an `items` list (2019-09 and older)."),
    "contains": (_PART, "The schema that at least one item fits."),
    "minContains": (_COUNT, "The least number of items that fit `contains`."),
    "maxContains": (_COUNT, "The greatest number of items that fit `contains`."),
    "minItems": (_COUNT, "The least number of items."),
    "maxItems": (_COUNT, "The greatest number of items."),
    "uniqueItems": (_FLAG, "Whether no two items are equal."),
    "unevaluatedItems": (_PART, "The schema of items that no other part of the schema describes."),
    "minLength": (_COUNT, "The least number of characters."),
    "maxLength": (_COUNT, "The greatest number of characters."),
    "pattern": (_TEXT, "A regular expression that a part of the text matches; anchor it with `^` and `$`."),
    "format": ({**_TEXT, "examples": _FORMATS}, "What the text is, such as `date`; checked if the target asserts it."),
    "contentEncoding": ({**_TEXT, "examples": ["base64"]}, "How the text encodes binary data."),
    "contentMediaType": ({**_TEXT, "examples": ["application/json"]}, "The media type of the content of the text."),
    "contentSchema": (_PART, "The schema of the content of the text."),
    "minimum": (_NUMBER, "The least number."),
    "maximum": (_NUMBER, "The greatest number."),
    "exclusiveMinimum": (_BOUND, "The number must be greater than this. In draft-04: whether `minimum` is excluded."),
    "exclusiveMaximum": (_BOUND, "The number must be less than this. In draft-04: whether `maximum` is excluded."),
    "multipleOf": ({"type": "number", "exclusiveMinimum": 0}, "The number is a multiple of this."),
    "allOf": (_PARTS, "The value fits each of these schemas."),
    "anyOf": (_PARTS, "The value fits at least one of these schemas."),
    "oneOf": (_PARTS, "The value fits exactly one of these schemas."),
    "not": (_PART, "The value does not fit this schema."),
    "if": (_PART, "If the value fits this schema, `then` applies, else `else`."),
    "then": (_PART, "The schema of values that fit `if`."),
    "else": (_PART, "The schema of values that do not fit `if`."),
    "$ref": (
        {**_TEXT, "examples": ["#/types/Name", "shared.yaml#/types/Name", "#/$defs/Name"]},
        "A type of this file or another one, or a place in this schema.",
    ),
    "$defs": (_NAMED_PARTS, "Schemas for use in this one, by name."),
    "definitions": (_NAMED_PARTS, "Schemas for use in this one, by name (draft-07 and older)."),
    "$schema": ({"enum": list(DIALECTS.values())}, "The draft of this schema. Default: `dialect` of the file."),
    "$id": (_TEXT, "The URI of this schema, which references in it are relative to."),
    "id": (_TEXT, "The URI of this schema (draft-04)."),
    "$anchor": (_TEXT, "A name of this part, for references."),
    "$dynamicAnchor": (_TEXT, "A name of this part, for dynamic references."),
    "$dynamicRef": (_TEXT, "A reference to the outermost part with that dynamic anchor."),
    "$recursiveAnchor": (_FLAG, "Whether recursive references may lead here (2019-09)."),
    "$recursiveRef": (_TEXT, "A reference to the outermost part with a recursive anchor (2019-09)."),
    "$vocabulary": ({"type": "object", "additionalProperties": _FLAG}, "The vocabularies of a metaschema."),
    "$comment": (_TEXT, "A note for the authors of the schema."),
}


def json_schema_keywords() -> dict[str, dict[str, Any]]:
    """Return the schema of each keyword's value, with its description."""
    return {keyword: {"description": text, **schema} for keyword, (schema, text) in _KEYWORDS.items()}
