"""Types of the tool `camelCaseTool`, in `mcp.odd-server`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class CamelCaseToolArgs(ClosedModel):
    """Args of `camelCaseTool`: The key in words becomes the title."""


CamelCaseToolResult: TypeAlias = JsonValue
