"""Types of the tool `enum`, in `shop`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class EnumArgs(ClosedModel):
    """Args of `enum`: A choice between nothing."""

    a: JsonValue | None = None


EnumResult: TypeAlias = JsonValue
