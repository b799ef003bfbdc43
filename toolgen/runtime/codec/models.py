"""The base classes of generated models: strict types for values that the schema has accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel, ConfigDict, JsonValue

from toolgen.runtime.codec.extra_keys import checked_extra_keys

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


class _Model(BaseModel):
    # No coercion. NaN is kept when a value is encoded, so that it can be rejected.
    model_config = ConfigDict(
        strict=True,
        ser_json_inf_nan="constants",
        validate_by_name=True,
        validate_by_alias=True,
        protected_namespaces=(),
    )


class OpenModel(_Model):
    """An object with named fields that keeps all other fields too, with any JSON as their values."""

    model_config = ConfigDict(extra="allow")
    if not TYPE_CHECKING:  # to type checkers it would be a parameter
        __pydantic_extra__: dict[str, JsonValue]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[BaseModel], handler: GetCoreSchemaHandler, /) -> CoreSchema:
        schema = handler(source)
        keys = checked_extra_keys(source)
        if keys is not None:
            # pydantic has no other place for this per class: the type of `__pydantic_extra__` is inherited.
            cast("Any", handler.resolve_ref_schema(schema))["schema"]["extras_keys_schema"] = keys
        return schema


class ClosedModel(_Model):
    """An object with named fields and no others."""

    model_config = ConfigDict(extra="forbid")
