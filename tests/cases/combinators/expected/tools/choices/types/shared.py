"""Types that several tools share, in `choices`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import OpenModel


class Cat(OpenModel):
    kind: Literal["cat"]
    lives: int | None = None


class Dog(OpenModel):
    kind: Literal["dog"]
    tricks: list[str] | None = None


Pet: TypeAlias = Annotated[Cat | Dog, Field(discriminator="kind")]
