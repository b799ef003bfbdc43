"""The base classes of generated models: types only. Constraints stay with the schema, which is the authority."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from toolgen.runtime.codec.extra_keys import refuse_python_names

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


class _Model(BaseModel):
    # No coercion, and NaN stays visible in what is encoded, so that it can be refused.
    model_config = ConfigDict(
        strict=True,
        ser_json_inf_nan="constants",
        validate_by_name=True,
        validate_by_alias=True,
        protected_namespaces=(),
    )


class OpenModel(_Model):
    """An object with named fields that keeps whatever else it is given."""

    model_config = ConfigDict(extra="allow")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[BaseModel], handler: GetCoreSchemaHandler, /) -> CoreSchema:
        schema = handler(source)
        refuse_python_names(handler.resolve_ref_schema(schema))
        return schema


class ClosedModel(_Model):
    """An object with named fields and no others."""

    model_config = ConfigDict(extra="forbid")
