"""The base classes of generated models: types only. Constraints stay with the schema, which is the authority."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict

TYPE_CONFIG: Final = ConfigDict(strict=True, ser_json_inf_nan="constants")
"""What every generated type has: no coercion, and NaN stays visible, so that encoding can refuse it."""

_MODEL_CONFIG: Final = ConfigDict(**TYPE_CONFIG, validate_by_name=True, validate_by_alias=True, protected_namespaces=())


class OpenModel(BaseModel):
    """An object with named fields that keeps whatever else it is given."""

    model_config = ConfigDict(**_MODEL_CONFIG, extra="allow")


class ClosedModel(BaseModel):
    """An object with named fields and no others."""

    model_config = ConfigDict(**_MODEL_CONFIG, extra="forbid")
