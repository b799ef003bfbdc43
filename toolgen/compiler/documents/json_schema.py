"""The published JSON Schema of spec files, used by editors for completion and checks."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from toolgen.compiler.documents.action_catalog import CatalogFile
from toolgen.compiler.documents.agent import AgentFile
from toolgen.compiler.documents.base import SCHEMA_MARK
from toolgen.compiler.documents.policy import PolicyFile
from toolgen.compiler.documents.shared import SharedFile
from toolgen.compiler.documents.toolset import ToolsetFile

_SCHEMA: dict[str, Any] = {
    "description": "A type word, the name of a type, [X] for an array, fields of a closed object, or JSON Schema.",
    "anyOf": [
        {"enum": ["string", "integer", "number", "boolean", "object", "null", "any"]},
        {"type": "string", "pattern": "^[A-Z][A-Za-z0-9_]*$", "description": "The name of a type of this file."},
        {"type": "null"},
        {"type": "boolean"},
        {"type": "array", "items": {"$ref": "#/$defs/Schema"}, "minItems": 1, "maxItems": 1},
        {"$ref": "https://json-schema.org/draft/2020-12/schema", "type": "object"},
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/Schema"}},
    ],
}


def spec_json_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of all kinds of spec files."""
    files = TypeAdapter[Any](ToolsetFile | AgentFile | CatalogFile | PolicyFile | SharedFile)
    schema = _with_schema_references(files.json_schema(by_alias=True))
    schema["$defs"]["Schema"] = _SCHEMA
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "toolgen spec", **schema}


def _with_schema_references(value: Any) -> Any:
    """Replace each placeholder for a schema by a reference to the definition of schemas."""
    match value:
        case dict():
            if SCHEMA_MARK.items() <= value.items():
                return {
                    "$ref": "#/$defs/Schema",
                    **{key: inner for key, inner in value.items() if key not in {*SCHEMA_MARK, "title"}},
                }
            return {key: _with_schema_references(inner) for key, inner in value.items()}
        case list():
            return [_with_schema_references(inner) for inner in value]
        case _:
            return value
