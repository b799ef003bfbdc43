"""Types of the tool `weather`, in `mcp.odd-server`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class WeatherArgs(ClosedModel):
    """Args of `weather`: Not ASCII."""


WeatherResult: TypeAlias = JsonValue
