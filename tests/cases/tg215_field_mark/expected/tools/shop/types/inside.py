"""Types of the tool `inside`, in `shop`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import OpenModel


class InsideArgsB(OpenModel):
    c: Annotated[str | None, Field(alias="c!")] = None


class InsideArgs(OpenModel):
    """Args of `inside`: Marks inside JSON Schema."""

    a: Annotated[str | None, Field(alias="a?")] = None
    b: InsideArgsB | None = None


InsideResult: TypeAlias = JsonValue
