"""Responses of models in the format of each provider."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolgen.providers.table import PROVIDERS, provider

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Calls = Sequence[tuple[str, str, Mapping[str, Any]]]


def _openai(text: str, calls: Calls) -> dict[str, Any]:
    asked = [
        {"id": number, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        for number, name, args in calls
    ]
    message = {"role": "assistant", "content": text or None, **({"tool_calls": asked} if asked else {})}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if asked else "stop"}]}


def _responses(text: str, calls: Calls) -> dict[str, Any]:
    texts = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    asked = [
        {"type": "function_call", "id": f"fc_{number}", "call_id": number, "name": name, "arguments": json.dumps(args)}
        for number, name, args in calls
    ]
    return {"status": "completed", "output": [*([texts] if text else []), *asked]}


def _anthropic(text: str, calls: Calls) -> dict[str, Any]:
    asked = [{"type": "tool_use", "id": number, "name": name, "input": args} for number, name, args in calls]
    texts = [{"type": "text", "text": text}] if text else []
    return {"role": "assistant", "content": [*texts, *asked], "stop_reason": "tool_use" if asked else "end_turn"}


def _gemini(text: str, calls: Calls) -> dict[str, Any]:
    asked = [{"functionCall": {"id": number, "name": name, "args": args}} for number, name, args in calls]
    parts = [*([{"text": text}] if text else []), *asked]
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}


def _bedrock(text: str, calls: Calls) -> dict[str, Any]:
    asked = [{"toolUse": {"toolUseId": number, "name": name, "input": args}} for number, name, args in calls]
    content = [*([{"text": text}] if text else []), *asked]
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": "tool_use" if asked else "end_turn",
    }


_BY_API: Final[Mapping[str, Callable[[str, Calls], dict[str, Any]]]] = {
    "OpenAIChat": _openai,
    "OpenAIResponses": _responses,
    "Anthropic": _anthropic,
    "Gemini": _gemini,
    "Bedrock": _bedrock,
}

RESPONSES: Final[Mapping[str, Callable[[str, Calls], dict[str, Any]]]] = {
    name: create
    for name in PROVIDERS
    if (create := _BY_API.get(type(provider(name)).__name__)) is not None and name != "anthropic-strict"
}
"""Functions that create a response from a text and calls (id, name and args), by provider."""
