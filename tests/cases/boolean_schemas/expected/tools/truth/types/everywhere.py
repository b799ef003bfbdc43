"""Types of the tool `everywhere`, in `truth`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class EverywhereArgs(ClosedModel):
    """Args of `everywhere`: Booleans as schemas."""

    any_: Annotated[JsonValue | None, Field(alias="any")] = None
    never: JsonValue | None = None
    list_: Annotated[list[JsonValue] | None, Field(alias="list")] = None
    empty: list[JsonValue] | None = None
    either: JsonValue | None = None


EverywhereResult: TypeAlias = JsonValue
