"""The published JSON Schema of spec files, used by editors for completion and checks. It needs no other document."""

from __future__ import annotations

from typing import Any, Final

from pydantic import TypeAdapter

from toolgen.authoring.editor_schema.examples import EXAMPLES
from toolgen.authoring.editor_schema.keyword_schemas import json_schema_keywords
from toolgen.compiler.documents.action_catalog import CatalogFile
from toolgen.compiler.documents.agent import AgentFile
from toolgen.compiler.documents.base import SCHEMA_MARK, TypeNamePattern
from toolgen.compiler.documents.policy import PolicyFile
from toolgen.compiler.documents.shared import SharedFile
from toolgen.compiler.documents.toolset import ToolsetFile
from toolgen.compiler.resolve.schemas.keywords import RAW

_SCHEMA: Final = {"$ref": "#/$defs/Schema"}


def spec_json_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of all kinds of spec files."""
    files = TypeAdapter[Any](ToolsetFile | AgentFile | CatalogFile | PolicyFile | SharedFile)
    schema = _for_editors(files.json_schema(by_alias=True))
    for model, examples in EXAMPLES.items():
        for key, values in examples.items():
            schema["$defs"][model]["properties"][key]["examples"] = values
    schema["$defs"] |= _schemas()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "toolgen spec", **schema}


def _schemas() -> dict[str, Any]:
    """Return the definitions of a schema as a spec has it, and of JSON Schema."""
    words = {
        "string": "Text.",
        "integer": "A whole number.",
        "number": "A number.",
        "boolean": "`true` or `false`.",
        "object": "An object with any fields.",
        "null": "Only null.",
        "any": "Any JSON.",
    }
    keywords = json_schema_keywords()
    raw = [{"required": [keyword]} for keyword in sorted(RAW)]
    return {
        "Schema": {
            "description": "A type word, the name of a type, `[X]` for an array, fields of an object, or JSON Schema.",
            "anyOf": [
                *({"const": word, "description": text} for word, text in words.items()),
                {"type": "string", "pattern": TypeNamePattern, "description": "The name of a type of this file."},
                {"type": "null"},
                {"type": "array", "items": _SCHEMA, "minItems": 1, "maxItems": 1, "description": "An array of this."},
                {
                    "$ref": "#/$defs/JsonSchema",
                    "anyOf": [{"type": "boolean"}, *({"required": [key]} for key in sorted(RAW))],
                },
                {
                    "description": "The fields of an object; `name?` is optional, `name!` is taken literally.",
                    "type": "object",
                    "properties": {keyword: keywords[keyword] for keyword in sorted(RAW)},  # so that editors offer them
                    "additionalProperties": _SCHEMA,
                    "not": {"anyOf": raw},
                },
            ],
        },
        "JsonSchema": {"description": "JSON Schema.", "type": ["object", "boolean"], "properties": keywords},
    }


def _with_names(schema: dict[str, Any]) -> dict[str, Any]:
    """Write a pattern of names in another way: editors offer no values below `patternProperties`."""
    rest = {key: inner for key, inner in schema.items() if key != "patternProperties"}
    ((pattern, values),) = schema["patternProperties"].items()
    return {
        **rest,
        "propertyNames": {"pattern": pattern, **schema.get("propertyNames", {})},
        "additionalProperties": values,
    }


def _for_editors(value: Any) -> Any:
    """Put the reference in place of each mark for a schema, and leave out what editors would insert or show in vain.

    That is titles, which repeat the keys, and defaults of null or an empty collection, which say that a key is absent.
    """
    match value:
        case dict():
            if SCHEMA_MARK.items() <= value.items():
                return _SCHEMA | {key: inner for key, inner in value.items() if key == "description"}
            if "patternProperties" in value:
                value = _with_names(value)
            return {
                key: {name: _for_editors(part) for name, part in inner.items()}
                if key in ("properties", "$defs")
                else _for_editors(inner)
                for key, inner in value.items()
                if key != "title" and not (key == "default" and inner in (None, "", [], {}))
            }
        case list():
            return [_for_editors(inner) for inner in value]
        case _:
            return value
