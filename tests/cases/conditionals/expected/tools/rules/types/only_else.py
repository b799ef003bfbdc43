"""Types of the tool `only_else`, in `rules`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class OnlyElseArgs(ClosedModel):
    """Args of `only_else`: No then."""

    value: int | str


OnlyElseResult: TypeAlias = JsonValue
