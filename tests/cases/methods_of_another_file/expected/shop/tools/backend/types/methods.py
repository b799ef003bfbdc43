"""Types of the methods that tools are bound to, in `shop.backend`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel

from .shared import Item


class AddPayload(ClosedModel):
    item: Item


class AddMethodResult(ClosedModel):
    count: int


class DropPayload(ClosedModel):
    sku: str


DropMethodResult: TypeAlias = JsonValue
