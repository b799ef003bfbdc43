"""Types of the tool `parameters`, in `attributes`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ParametersArgs(ClosedModel):
    """Args of `parameters`: Names that generated functions use themselves."""

    self: str
    args: list[str]
    meta: dict[str, JsonValue]
    cls: str
    kwargs: str | None = None
    result: str | None = None
    made: str | None = None
    rebuilt_: Annotated[str | None, Field(alias="rebuilt")] = None


ParametersResult: TypeAlias = JsonValue
