"""Types of the tool `a`, in `mcp.odd-server`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class AArgs(ClosedModel):
    """Args of `a`: One letter."""


AResult: TypeAlias = JsonValue
