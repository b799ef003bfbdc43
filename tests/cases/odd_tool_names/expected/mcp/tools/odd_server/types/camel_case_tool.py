"""Types of the tool `camelCaseTool`, in `mcp.odd-server`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class CamelCaseToolArgs(ClosedModel):
    pass


CamelCaseToolResult: TypeAlias = JsonValue
