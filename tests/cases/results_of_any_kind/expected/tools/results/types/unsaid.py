"""Types of the tool `unsaid`, in `results`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class UnsaidArgs(ClosedModel):
    """Args of `unsaid`: Anything as well."""


UnsaidResult: TypeAlias = JsonValue
