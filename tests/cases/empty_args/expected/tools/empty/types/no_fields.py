"""Types of the tool `no_fields`, in `empty`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class NoFieldsArgs(ClosedModel):
    """Args of `no_fields`: No fields."""


NoFieldsResult: TypeAlias = JsonValue
