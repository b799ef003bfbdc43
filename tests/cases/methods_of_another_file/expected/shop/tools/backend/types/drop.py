"""Types of the tool `drop`, in `shop.backend`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class DropArgs(ClosedModel):
    """Args of `drop`: Drop an item."""

    sku: str


DropResult: TypeAlias = JsonValue
