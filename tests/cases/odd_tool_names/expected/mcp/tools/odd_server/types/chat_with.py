"""Types of the tool `chat-with`, in `mcp.odd-server`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ChatWithArgs(ClosedModel):
    """Args of `chat-with`: Chat with ${AI_CHAT_NAME_CLEAN}; costs {1} # of {{args.x}}."""


ChatWithResult: TypeAlias = JsonValue
