"""Types of the tool `ping`, in `mcp.later`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class PingArgs(ClosedModel):
    """Args of `ping`: Say hello."""


PingResult: TypeAlias = JsonValue
