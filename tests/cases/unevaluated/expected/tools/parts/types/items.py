"""Types of the tool `items`, in `parts`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ItemsArgs(ClosedModel):
    """Args of `items`: Items beyond the described places."""

    row: list[JsonValue]
    tail: list[JsonValue] | None = None


ItemsResult: TypeAlias = JsonValue
