"""Types of the tool `all_of`, in `choices`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel, OpenModel


class AllOfArgsRecord(OpenModel):
    id_: Annotated[str, Field(alias="id")]
    tag: str | None = None


class AllOfArgs(ClosedModel):
    """Args of `all_of`: Everything at once."""

    name: str
    record: AllOfArgsRecord | None = None


AllOfResult: TypeAlias = JsonValue
