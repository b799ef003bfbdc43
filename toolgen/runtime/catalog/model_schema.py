"""The JSON Schema of a type of the host, as one would write it by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticSerializationError

from toolgen.runtime.catalog.schema_profile import with_definitions_in_place

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.json_schema import JsonSchemaWarningKind


def model_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Export a model's JSON Schema as one would write it by hand: local types in place, no generated titles."""
    schema: dict[str, Any] = with_definitions_in_place(args_schema(model))
    return schema


def args_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of the values that a model accepts, with its local types as definitions."""
    return model.model_json_schema(schema_generator=_Untitled)


def result_schema(kind: Any) -> dict[str, Any]:
    """Return the JSON Schema of what a type is serialized to. Raises what pydantic raises for one that has none."""
    return TypeAdapter(kind).json_schema(mode="serialization", schema_generator=_Untitled)


class _Untitled(GenerateJsonSchema):
    ignored_warning_kinds: set[JsonSchemaWarningKind] = {"skipped-choice", "non-serializable-default"}
    """A default that is no JSON, such as an object of a framework, is left out; the field stays optional."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def encode_default(self, dft: Any) -> Any:
        encoded = super().encode_default(dft)
        try:
            json.dumps(encoded, allow_nan=False)
        except ValueError as error:  # pydantic then leaves the default out, with a warning
            raise PydanticSerializationError(str(error)) from error
        return encoded

    def model_schema(self, schema: Any) -> dict[str, Any]:
        return _without_title(super().model_schema(schema), schema["cls"])

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        return _without_title(super().dataclass_schema(schema), schema["cls"])

    def tagged_union_schema(self, schema: Any) -> dict[str, Any]:
        named = super().tagged_union_schema(schema)
        named.pop("discriminator", None)  # of OpenAPI; the literals of the members say the same
        return named

    def typed_dict_schema(self, schema: Any) -> dict[str, Any]:
        return _without_title(super().typed_dict_schema(schema), schema.get("cls"))


def _without_title(named: dict[str, Any], kind: Any) -> dict[str, Any]:
    if named.get("title") == getattr(kind, "__name__", None):
        named.pop("title", None)
    return named
