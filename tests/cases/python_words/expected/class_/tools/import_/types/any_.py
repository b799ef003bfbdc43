"""Types of the tool `any_`, in `class.import`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.models import ClosedModel


class AnyArgs(ClosedModel):
    Any: str
    Literal: Literal["a"]
    Field: str
    JsonValue: JsonValue | None = None
    ToolRequest: str | None = None
    Absent: str | None = None
    ABSENT: str | None = None


AnyResult: TypeAlias = JsonValue
