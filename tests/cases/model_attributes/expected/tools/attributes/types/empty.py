"""Types of the tool `empty`, in `attributes`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class EmptyArgs(ClosedModel):
    """Args of `empty`: A field without a name."""

    xe3b0c442: Annotated[str, Field(alias="")]
    x36a9e7f1: Annotated[int, Field(alias=" ")]
    other: str | None = None


EmptyResult: TypeAlias = JsonValue
