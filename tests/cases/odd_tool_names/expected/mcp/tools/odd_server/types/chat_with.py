"""Types of the tool `chat-with`, in `mcp.odd-server`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class ChatWithArgs(ClosedModel):
    pass


ChatWithResult: TypeAlias = JsonValue
