"""Types of the tool `set`, in `nullable`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel, OpenModel

from .shared import Person


class SetArgsAddress(OpenModel):
    street: str


class SetArgs(ClosedModel):
    """Args of `set`: Null clears, absence keeps."""

    email: str | None = None
    phone: str | None = None
    age: int | None
    tags: list[str] | None = None
    address: SetArgsAddress | None = None
    owner: Person | None = None
    none: None = None
    level: int | None = None
    mode: str | None = "fast"
    note: str | None = None


class SetResultObject(OpenModel):
    id_: Annotated[str, Field(alias="id")]


SetResult: TypeAlias = SetResultObject | None
