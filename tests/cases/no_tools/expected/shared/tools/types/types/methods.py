"""Types of the methods that tools are bound to, in `shared.types`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel

from .shared import Item


class SavePayload(ClosedModel):
    item: Item


SaveMethodResult: TypeAlias = JsonValue
