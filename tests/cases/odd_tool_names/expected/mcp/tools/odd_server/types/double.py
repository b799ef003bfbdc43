"""Types of the tool `__double__`, in `mcp.odd-server`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class DoubleArgs(ClosedModel):
    """Args of `__double__`: Underscores at both ends."""


DoubleResult: TypeAlias = JsonValue
