"""Streams: a reply as the events of each API that can be streamed, its text word by word and its args in two parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from toolgen.providers.apis import anthropic, gemini, openai_chat, openai_responses
from toolgen.providers.apis.response_json import payload_text

if TYPE_CHECKING:
    from toolgen.providers.protocol import ModelReply, Provider


def events_of(provider: Provider, reply: ModelReply) -> list[dict[str, Any]]:
    """Return a reply as the events of a stream. Raises ValueError for an API whose streams cannot be read."""
    made = _EVENTS.get(provider.reader) if provider.reader else None
    if made is None:
        raise ValueError(f"streams of {provider.name} cannot be read")
    return list(made(provider, reply))


def _words(text: str) -> Iterator[str]:
    """Yield a text in parts, each up to a blank."""
    while text:
        end = text.find(" ") + 1 or len(text)
        yield text[:end]
        text = text[end:]


def _halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


def _chat(provider: Provider, reply: ModelReply) -> Iterator[dict[str, Any]]:
    assert provider.turns is not None

    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant"})
    for word in _words(reply.text):
        yield chunk({"content": word})
    for index, call in enumerate(reply.calls):
        begin, end = _halves(payload_text(call.payload))
        function = {"name": call.name, "arguments": begin}
        yield chunk(
            {"tool_calls": [{"index": index, "id": call.tool_call_id, "type": "function", "function": function}]}
        )
        yield chunk({"tool_calls": [{"index": index, "function": {"arguments": end}}]})
    (choice,) = provider.turns.response(reply)["choices"]
    yield chunk({}, choice.get("finish_reason") or ("tool_calls" if reply.calls else "stop"))


def _blocks(provider: Provider, reply: ModelReply) -> Iterator[dict[str, Any]]:
    assert provider.turns is not None
    yield {"type": "message_start", "message": {"type": "message", "role": "assistant", "content": []}}
    texts: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if reply.text:
        deltas: list[dict[str, Any]] = [{"type": "text_delta", "text": word} for word in _words(reply.text)]
        texts.append(({"type": "text", "text": ""}, deltas))
    for call in reply.calls:
        parts = [{"type": "input_json_delta", "partial_json": part} for part in _halves(payload_text(call.payload))]
        texts.append(({"type": "tool_use", "id": call.tool_call_id, "name": call.name, "input": {}}, parts))
    for index, (block, deltas) in enumerate(texts):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        yield from ({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
        yield {"type": "content_block_stop", "index": index}
    reason = provider.turns.response(reply).get("stop_reason") or ("tool_use" if reply.calls else "end_turn")
    yield {"type": "message_delta", "delta": {"stop_reason": reason}}
    yield {"type": "message_stop"}


def _items(provider: Provider, reply: ModelReply) -> Iterator[dict[str, Any]]:
    assert provider.turns is not None
    for word in _words(reply.text):
        yield {"type": "response.output_text.delta", "delta": word}
    yield {"type": "response.completed", "response": provider.turns.response(reply)}


def _parts(provider: Provider, reply: ModelReply) -> Iterator[dict[str, Any]]:
    assert provider.turns is not None
    (candidate,) = provider.turns.response(reply)["candidates"]
    for part in candidate["content"]["parts"]:
        for each in [{"text": word} for word in _words(part["text"])] if "text" in part else [part]:
            yield {"candidates": [{"content": {"role": "model", "parts": [each]}}]}
    yield {
        "candidates": [
            {"content": {"role": "model", "parts": []}, "finishReason": candidate.get("finishReason", "STOP")}
        ]
    }


_EVENTS: Final[Mapping[Any, Callable[[Provider, ModelReply], Iterator[dict[str, Any]]]]] = {
    openai_chat.Reader: _chat,
    anthropic.Reader: _blocks,
    openai_responses.Reader: _items,
    gemini.Reader: _parts,
}
"""What makes events, by what reads them."""
