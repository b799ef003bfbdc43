"""Types that several tools share, in `addresses`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class Address(ClosedModel):
    Street: str
    Zip: str | None = None
    Address_: Annotated[Address | None, Field(alias="Address")] = None


class Zip(ClosedModel):
    code: str


Street: TypeAlias = str
