"""Types of the tool `words`, in `forms`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class WordsArgs(ClosedModel):
    """Args of `words`: Every type word."""

    string: str
    integer: int
    number: int | float
    boolean: bool
    object_: Annotated[dict[str, JsonValue], Field(alias="object")]
    null: None
    any_: Annotated[JsonValue, Field(alias="any")]


WordsResult: TypeAlias = JsonValue
