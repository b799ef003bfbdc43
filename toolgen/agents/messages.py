"""Messages of a conversation, independent of any API, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from toolgen.contract.records import ToolRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation.

    `calls` are what a message of the assistant asks for. A message of the role `tool` answers one of them: `name` and
    `tool_call_id` are those of the call, `content` is its result as a model reads it. `response` is the response of an
    API as plain JSON, for planners whose API takes parts of it back unchanged.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    calls: tuple[ToolRequest, ...] = ()
    name: str = ""
    tool_call_id: str = ""
    is_error: bool = False
    response: Mapping[str, Any] | None = None


def message_as_json(message: Message) -> dict[str, Any]:
    """Return a message as a JSON object, without fields that have their default."""
    fields: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.calls:
        fields["calls"] = [call_as_json(call) for call in message.calls]
    for name in ("name", "tool_call_id", "is_error", "response"):
        if value := getattr(message, name):
            fields[name] = value
    return fields


def message_from_json(fields: Mapping[str, Any]) -> Message:
    """Return the message that `message_as_json` wrote. Raises KeyError or TypeError for anything else."""
    calls = tuple(call_from_json(call) for call in fields.get("calls", ()))
    return Message(**{**fields, "calls": calls})


def call_as_json(call: ToolRequest) -> dict[str, Any]:
    """Return a call as a JSON object; its payload stays text, because a model may have written no JSON."""
    payload = call.payload if isinstance(call.payload, str) else call.payload.decode(errors="replace")
    return {"name": call.name, "payload": payload, "tool_call_id": call.tool_call_id}


def call_from_json(fields: Mapping[str, Any]) -> ToolRequest:
    """Return the call that `call_as_json` wrote. Raises TypeError for anything else."""
    return ToolRequest(**fields)
