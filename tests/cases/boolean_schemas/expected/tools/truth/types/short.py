"""Types of the tool `short`, in `truth`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ShortArgs(ClosedModel):
    """Args of `short`: In the short form, and by name."""

    any_: Annotated[JsonValue, Field(alias="any")]
    named: JsonValue
    never: JsonValue | None = None
    list_: Annotated[list[JsonValue] | None, Field(alias="list")] = None


ShortResult: TypeAlias = JsonValue
