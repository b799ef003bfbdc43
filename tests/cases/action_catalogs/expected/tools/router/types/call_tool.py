"""Types of the tool `call_tool`, in `router`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class CallToolArgs(ClosedModel):
    """Args of `call_tool`: Call a tool of a server."""

    server: str
    tool: str
    args: dict[str, JsonValue] | None = None


CallToolResult: TypeAlias = JsonValue
