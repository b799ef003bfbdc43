"""Types of the tool `unsupported_parts`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class UnsaidArgs(ClosedModel):
    """Args of `unsupported_parts`: Anything as well."""


UnsaidResult: TypeAlias = JsonValue
