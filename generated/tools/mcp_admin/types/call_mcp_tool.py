"""Types of the tool `call_mcp_tool`, in `mcp_admin`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class CallMcpToolArgs(ClosedModel):
    """Args of `call_mcp_tool`: Call a tool of an installed server."""

    server: str
    tool: str
    args: dict[str, JsonValue]
    """What the input schema of the tool asks for."""


CallMcpToolResult: TypeAlias = JsonValue
