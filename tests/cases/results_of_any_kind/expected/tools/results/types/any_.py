"""Types of the tool `any`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class AnyArgs(ClosedModel):
    """Args of `any`: Anything."""


AnyResult: TypeAlias = JsonValue
