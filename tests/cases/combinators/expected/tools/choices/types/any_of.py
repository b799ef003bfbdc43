"""Types of the tool `any_of`, in `choices`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel

from .shared import Cat, Dog


class AnyOfArgs(ClosedModel):
    """Args of `any_of`: One of several kinds."""

    id_: Annotated[int | Annotated[str, Field(pattern="^id-")], Field(alias="id")]
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None
    many: list[str | list[str]] | None = None
    loose: JsonValue | None = None


AnyOfResult: TypeAlias = JsonValue
