"""Types of the tool `__double__`, in `mcp.odd-server`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class DoubleArgs(ClosedModel):
    pass


DoubleResult: TypeAlias = JsonValue
