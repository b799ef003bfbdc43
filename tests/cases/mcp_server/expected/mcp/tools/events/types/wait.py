"""Types of the tool `wait`, in `mcp.events`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class WaitArgs(ClosedModel):
    """Args of `wait`: Wait for an event."""

    kind: str | None = None


WaitResult: TypeAlias = JsonValue
