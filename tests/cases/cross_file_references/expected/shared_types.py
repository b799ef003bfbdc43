"""Types of shared files, which all toolsets use."""

from __future__ import annotations

from typing import Literal, TypeAlias

from toolgen.runtime.codec.models import ClosedModel


Currency: TypeAlias = Literal["EUR", "USD"]


class Money(ClosedModel):
    amount: int | float
    currency: Currency


class Place(ClosedModel):
    lat: int | float
    lon: int | float
    entry: Money | None = None


class Page(ClosedModel):
    size: int
    after: str | None = None
