"""Types of the tool `chat-with-X`, in `mcp.assets`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class ChatWithXArgs(OpenModel):
    """Args of `chat-with-X`: Chat with ${X}."""

    message: str


ChatWithXResult: TypeAlias = JsonValue
