"""The JSON Schema of a pydantic model, as one would write it by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic.json_schema import GenerateJsonSchema

from toolgen.runtime.catalog.schema_profile import with_definitions_in_place

if TYPE_CHECKING:
    from pydantic import BaseModel


def model_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Export a model's JSON Schema as one would write it by hand: local types in place, no generated titles."""
    schema: dict[str, Any] = with_definitions_in_place(model.model_json_schema(schema_generator=_Untitled))
    return schema


class _Untitled(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def model_schema(self, schema: Any) -> dict[str, Any]:
        named = super().model_schema(schema)
        if named.get("title") == schema["cls"].__name__:
            del named["title"]
        return named
