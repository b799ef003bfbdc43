"""Media types of what is sent: which bytes a value becomes, or why no bytes of it are certain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.importers.openapi.files import Fault
from toolgen.spec.http import FORM, MULTIPART, charset_of, codec_of, essence, is_binary, is_json, is_text

if TYPE_CHECKING:
    from toolgen.compiler.importers.openapi.files import Part

_ANY: Final = ("*/*", "application/*")
_STRUCTURED_TEXT: Final = ("xml", "yaml", "html", "javascript", "graphql", "json-seq", "jsonl", "ndjson", "urlencoded")
"""Texts in which a number is not what it is in JSON."""

_STRUCTURE: Final = frozenset({
    *("properties", "additionalProperties", "patternProperties", "items", "prefixItems", "allOf", "anyOf", "oneOf"),
})  # fmt: skip
_SCALARS: Final = frozenset({"string", "integer", "number", "boolean"})
_NAME: Final = "[A-Za-z0-9!#$&^_.+-]+"


def core(part: Part) -> Part:
    """Return what a schema is besides null: the only alternative, or the only part, that says something."""
    for _ in range(20):
        part = part.followed()
        value = part.value
        if not isinstance(value, dict) or value.keys() & {"type", "properties", "format", "enum", "const"}:
            return part
        members = next((part.raw_list(key) for key in ("anyOf", "oneOf", "allOf") if key in value), [])
        members = [each for each in members if each.value != {"type": "null"}]
        if len(members) != 1:
            return part
        part = members[0]
    return part


def types_of(part: Part) -> frozenset[str]:
    """Return the JSON types of a schema besides null; empty where it does not say."""
    value = core(part).value
    if not isinstance(value, dict):
        return frozenset()
    listed = value.get("type")
    named = {each for each in (listed if isinstance(listed, list) else [listed]) if isinstance(each, str)} - {"null"}
    if (
        not named
        and isinstance(value.get("enum"), list)
        and all(isinstance(each, str | None) for each in value["enum"])
    ):
        return frozenset({"string"})
    if not named and value.keys() & _STRUCTURE:
        return frozenset({"object"})
    return frozenset(named)


def is_bytes(part: Part) -> bool:
    """Return whether a schema says that values are bytes."""
    value = core(part).value
    if not isinstance(value, dict):
        return False
    says = value.get("format") == "binary" or value.get("type") == "file" or "contentMediaType" in value
    return says and "contentEncoding" not in value and types_of(part) <= {"string", "file"}


def may_be_bytes(part: Part) -> bool:
    """Return whether values may be bytes: they are strings, which are not encoded already, or of no type."""
    value = core(part).value
    is_encoded = isinstance(value, dict) and ("contentEncoding" in value or value.get("format") == "byte")
    return not is_encoded and types_of(part) <= {"string", "file"}


def says_nothing(part: Part) -> bool:
    """Return whether a schema is that of any value."""
    value = part.followed().value
    return value is True or (isinstance(value, dict) and value.keys() <= {"title", "description"})


def kind_of(media_type: str, schema: Part) -> str:
    """Return how a body is sent: as `json`, `form`, `multipart`, `text` or `bytes`. Raises `Fault`."""
    name, types = essence(media_type), types_of(schema)
    if name in (FORM, MULTIPART):
        return "form" if name == FORM else "multipart"
    if "/" not in name or name.startswith("multipart/"):
        raise Fault(f"nothing here sends a body as `{media_type}`", schema)
    if name in _ANY:
        if is_bytes(schema) or not types:
            return "bytes"
        return "text" if types == {"string"} else "json"
    if is_json(name):
        if is_bytes(schema):
            raise Fault(f"the body is bytes by its schema, and JSON by its media type `{media_type}`", schema)
        return "json"
    if is_text(name) or name == "text/*":
        check_charset(media_type, schema)
        return "bytes" if is_bytes(schema) else "text"
    if may_be_bytes(schema):
        return "bytes"
    if types == {"string"}:
        return "text"
    raise Fault(f"nothing here encodes {_of(types)} as `{media_type}`", schema)


def concrete(media_type: str, *, is_bytes: bool) -> str:
    """Return the media type of a raw body: that of any text, or any bytes, where all media types are taken."""
    if essence(media_type) not in _ANY:
        return media_type
    return "application/octet-stream" if is_bytes or essence(media_type) == "application/*" else "text/plain"


def keeps_scalar(media_type: str, schema: Part) -> bool:
    """Return whether the text of a value is what is sent: of any string, and of a number as plain text."""
    types = types_of(schema)
    name = essence(media_type)
    return types == {"string"} or (bool(types) and types <= _SCALARS and not any(x in name for x in _STRUCTURED_TEXT))


def text_type(declared: Sequence[str], schema: Part, where: str) -> str:
    """Return the media type in which a value is sent as text or as JSON; empty for the default. Raises `Fault`."""
    types = types_of(schema)
    if types == {"array"}:
        items = core(schema).raw("items")
        types = types if items is None else types_of(items) or types
    usable = [each for each in declared if is_json(each)] if not types <= _SCALARS or not types else list(declared)
    for each in usable or declared:
        if essence(each) in _ANY:
            return ""
        if is_json(each):
            return each
        check_charset(each, schema)
        if types <= _SCALARS and types and (types == {"string"} or is_text(each)) and keeps_scalar(each, schema):
            return "text/plain" if "*" in each else each
        if types <= _SCALARS and types and types != {"string"} and essence(each) == "text/*":
            return "text/plain"
    if declared:
        raise Fault(f"nothing here encodes {_of(types)} as `{declared[0]}`, the media type of {where}", schema)
    return ""


def check_charset(media_type: str, schema: Part) -> None:
    """Raise `Fault` for a charset in which no text is sent."""
    charset = charset_of(media_type)
    if charset and not codec_of(charset):
        raise Fault(f"the charset of `{media_type}` is unknown", schema)


def split_types(text: str) -> list[str]:
    """Return the media types of a list with commas."""
    return [each.strip() for each in text.split(",") if each.strip()]


def is_open(media_types: Sequence[str]) -> bool:
    """Return whether somebody has to say which media type it is: there are several, or a range such as `image/*`."""
    return len(media_types) > 1 or any("*" in each and essence(each) not in _ANY for each in media_types)


def type_schema(media_types: Sequence[str], of: str) -> dict[str, Any]:
    """Return the schema of the arg that says which media type it is."""
    described = {"description": f"The media type of {of}."}
    if not any("*" in each for each in media_types):
        return {"type": "string", "enum": list(dict.fromkeys(media_types)), **described}
    patterns = "|".join(re.escape(each).replace(r"\*", _NAME) for each in media_types)
    return {"type": "string", "pattern": f"^(?:{patterns})$", **described}


def binary_types(declared: Sequence[str], schema: Part) -> list[str]:
    """Return the media types of a part of bytes: those of its encoding, or that of its schema."""
    value = core(schema).value
    own = value.get("contentMediaType") if isinstance(value, dict) else None
    return list(declared) or ([own] if isinstance(own, str) and own else [])


def all_binary(declared: Sequence[str]) -> bool:
    """Return whether all these media types are of bytes."""
    return bool(declared) and all(is_binary(each) for each in declared)


def _of(types: frozenset[str]) -> str:
    return f"values of type {', '.join(sorted(types))}" if types else "values of any type"
