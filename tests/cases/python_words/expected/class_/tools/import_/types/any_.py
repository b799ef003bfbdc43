"""Types of the tool `any`, in `class.import`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class AnyArgs(ClosedModel):
    """Args of `any`: A name that annotations use."""

    Any: str
    Literal_: Annotated[Literal["a"], Field(alias="Literal")]
    Field_: Annotated[str, Field(alias="Field")]
    JsonValue_: Annotated[JsonValue | None, Field(alias="JsonValue")] = None
    ToolRequest: str | None = None
    Absent: str | None = None
    ABSENT: str | None = None


AnyResult: TypeAlias = JsonValue
