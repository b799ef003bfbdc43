"""The base classes of generated models: types only. Constraints stay with the schema, which is the authority."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter


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


class ClosedModel(_Model):
    """An object with named fields and no others."""

    model_config = ConfigDict(extra="forbid")


def model_class(kind: Any) -> type[BaseModel] | None:
    """Give a type back if it is a model class."""
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


@cache
def adapter_of(kind: Any) -> TypeAdapter[Any]:
    """Give what validates and serializes a generated type: a model, or an alias such as `list[Profile]`."""
    model = model_class(kind)
    if model is not None:
        return TypeAdapter(model)
    return TypeAdapter(kind, config=ConfigDict(strict=True, ser_json_inf_nan="constants"))
