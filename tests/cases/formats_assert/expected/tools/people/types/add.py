"""Types of the tool `add`, in `people`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class AddArgs(ClosedModel):
    """Args of `add`: Add a person."""

    email: str | None = None
    born: str | None = None
    seen: str | None = None
    id_: Annotated[str | None, Field(alias="id")] = None
    home: str | None = None
    address: str | None = None
    pattern: str | None = None
    password: str | None = None
    own: str | None = None
    untyped: JsonValue | None = None
    list_: Annotated[list[str] | None, Field(alias="list")] = None


AddResult: TypeAlias = str
