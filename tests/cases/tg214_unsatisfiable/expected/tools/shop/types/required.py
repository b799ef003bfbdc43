"""Types of the tool `required`, in `shop`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class RequiredArgs(ClosedModel):
    """Args of `required`: A field that is required and not allowed."""

    a: str
    b: JsonValue


RequiredResult: TypeAlias = JsonValue
