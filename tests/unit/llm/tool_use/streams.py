"""Responses as streamed by the APIs: the events of each, with text and args in pieces."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Events = Iterator[dict[str, Any]]


def pieces(text: str, size: int = 3) -> list[str]:
    return [text[place : place + size] for place in range(0, len(text), size)]


def _openai(response: Mapping[str, Any]) -> Events:
    (choice,) = response["choices"]
    envelope = {**response, "object": "chat.completion.chunk"}

    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        return {**envelope, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    yield chunk({"role": "assistant", "content": ""})
    for name in ("content", "refusal"):
        for piece in pieces(choice["message"].get(name) or ""):
            yield chunk({name: piece})
    for index, call in enumerate(choice["message"].get("tool_calls", ())):
        begun = {**call, "index": index, "function": {"name": call["function"]["name"], "arguments": ""}}
        yield chunk({"tool_calls": [begun]})
        for piece in pieces(call["function"]["arguments"]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, choice["finish_reason"])
    yield {**envelope, "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}


def _responses(response: Mapping[str, Any]) -> Events:
    number = iter(range(10_000))
    yield {"type": "response.created", "sequence_number": next(number), "response": {**response, "output": []}}
    for index, item in enumerate(response["output"]):
        about = {"output_index": index, "item_id": item.get("id", "")}
        yield {"type": "response.output_item.added", "sequence_number": next(number), **about, "item": item}
        said = item["content"][0]["text"] if item["type"] == "message" else ""
        for piece in pieces(said):
            event = {"type": "response.output_text.delta", "sequence_number": next(number), **about, "delta": piece}
            yield {**event, "content_index": 0, "logprobs": []}
        for piece in pieces(item.get("arguments", "")):
            delta = {"type": "response.function_call_arguments.delta", **about, "delta": piece}
            yield {**delta, "sequence_number": next(number)}
        yield {"type": "response.output_item.done", "sequence_number": next(number), **about, "item": item}
    yield {"type": "response.completed", "sequence_number": next(number), "response": dict(response)}


def _anthropic(response: Mapping[str, Any]) -> Events:
    yield {"type": "message_start", "message": {**response, "content": [], "stop_reason": None}}
    for index, block in enumerate(response["content"]):
        grown = {"text": "text", "thinking": "thinking", "tool_use": "input"}[block["type"]]
        begun = {**block, grown: {} if grown == "input" else ""}
        signature = begun.get("signature")
        if signature:
            begun["signature"] = ""
        yield {"type": "content_block_start", "index": index, "content_block": begun}
        whole = json.dumps(block[grown]) if grown == "input" else block[grown]
        for piece in pieces(whole):
            delta = (
                {"type": "input_json_delta", "partial_json": piece}
                if grown == "input"
                else {"type": f"{grown}_delta", grown: piece}
            )
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        if signature:
            delta = {"type": "signature_delta", "signature": signature}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": response["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _gemini(response: Mapping[str, Any]) -> Events:
    (candidate,) = response["candidates"]
    for part in candidate["content"]["parts"]:
        for piece in [{**part, "text": text} for text in pieces(part["text"])] if "text" in part else [part]:
            yield {"candidates": [{"index": 0, "content": {"role": "model", "parts": [piece]}}]}
    yield {"candidates": [{"index": 0, "content": {"role": "model", "parts": []}, "finishReason": "STOP"}]}


EVENTS: Final[Mapping[str, Callable[[Mapping[str, Any]], Events]]] = {
    "openai": _openai,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
}
