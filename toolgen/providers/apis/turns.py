"""What a conversation has besides responses, in the format of each API: system texts and turns of the model.

These are the texts that stand before all turns, and turns of a model that no response of the API is known for, such as
those of another model. Beside that, the tokens that a response used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.json_values import is_number, is_object, value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from toolgen.providers.protocol import ModelReply


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFormat:
    """How an API has turns.

    `system` returns a system text as members of the request, or, for the API that has it there, as the `messages`.
    `user` returns the message of a user; `response` is the inverse of `Provider.read`. `tokens` are the members of a
    response's usage that are summed up to the tokens of the input and of the output, `usage` where the usage is.
    """

    system: Callable[[str], dict[str, Any]]
    user: Callable[[str], dict[str, Any]]
    response: Callable[[ModelReply], dict[str, Any]]
    usage: Sequence[str]
    tokens: Mapping[str, Sequence[str]]

    def tokens_of(self, response: Mapping[str, Any]) -> dict[str, float]:
        """Return `input_tokens` (those from caches are among them) and `output_tokens`, as far as they are known."""
        usage = next((response[name] for name in self.usage if is_object(response.get(name))), dict[str, Any]())
        found = {total: [usage.get(name) for name in names] for total, names in self.tokens.items()}
        known = {total: list(filter(is_number, figures)) for total, figures in found.items()}
        return {total: sum(figures) for total, figures in known.items() if figures}


def _in_content(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def _openai(reply: ModelReply) -> dict[str, Any]:
    calls = [
        {"id": call.tool_call_id, "type": "function", "function": {"name": call.name, "arguments": _text(call.payload)}}
        for call in reply.calls
    ]
    message = {"role": "assistant", "content": reply.text or None, **({"tool_calls": calls} if calls else {})}
    return {"choices": [{"index": 0, "message": message}]}


def _responses(reply: ModelReply) -> dict[str, Any]:
    content = [{"type": "output_text", "text": reply.text}]
    texts = [{"type": "message", "role": "assistant", "content": content}] if reply.text else []
    calls = [
        {"type": "function_call", "call_id": call.tool_call_id, "name": call.name, "arguments": _text(call.payload)}
        for call in reply.calls
    ]
    return {"output": [*texts, *calls]}


def _anthropic(reply: ModelReply) -> dict[str, Any]:
    texts = [{"type": "text", "text": reply.text}] if reply.text else []
    calls = [
        {"type": "tool_use", "id": call.tool_call_id, "name": call.name, "input": _object(call.payload)}
        for call in reply.calls
    ]
    return {"content": [*texts, *calls]}


def _gemini(reply: ModelReply) -> dict[str, Any]:
    texts = [{"text": reply.text}] if reply.text else []
    calls = [
        {"functionCall": {"id": call.tool_call_id, "name": call.name, "args": _object(call.payload)}}
        for call in reply.calls
    ]
    return {"candidates": [{"content": {"role": "model", "parts": [*texts, *calls]}}]}


def _bedrock(reply: ModelReply) -> dict[str, Any]:
    texts = [{"text": reply.text}] if reply.text else []
    calls = [
        {"toolUse": {"toolUseId": call.tool_call_id, "name": call.name, "input": _object(call.payload)}}
        for call in reply.calls
    ]
    return {"output": {"message": {"role": "assistant", "content": [*texts, *calls]}}}


def _text(payload: bytes | str) -> str:
    return payload if isinstance(payload, str) else payload.decode(errors="replace")


def _object(payload: bytes | str) -> dict[str, Any]:
    """Return args as an object, as some APIs have them. Text that is none stays visible, under a name of its own."""
    try:
        args = value_of(payload)
    except (ValueError, OverflowError, RecursionError):
        args = None
    return args if is_object(args) else {"invalid_args": _text(payload)}


_CHAT: Final = TurnFormat(
    system=lambda text: {"messages": [{"role": "system", "content": text}]},
    user=_in_content,
    response=_openai,
    usage=("usage",),
    tokens={"input_tokens": ("prompt_tokens",), "output_tokens": ("completion_tokens",)},
)
_RESPONSES: Final = TurnFormat(
    system=lambda text: {"instructions": text},
    user=_in_content,
    response=_responses,
    usage=("usage",),
    tokens={"input_tokens": ("input_tokens",), "output_tokens": ("output_tokens",)},
)
_ANTHROPIC: Final = TurnFormat(
    system=lambda text: {"system": text},
    user=_in_content,
    response=_anthropic,
    usage=("usage",),
    tokens={
        "input_tokens": ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
        "output_tokens": ("output_tokens",),
    },
)
_GEMINI: Final = TurnFormat(
    system=lambda text: {"systemInstruction": {"parts": [{"text": text}]}},
    user=lambda text: {"role": "user", "parts": [{"text": text}]},
    response=_gemini,
    usage=("usageMetadata", "usage_metadata"),
    tokens={
        "input_tokens": (
            "promptTokenCount", "prompt_token_count", "toolUsePromptTokenCount", "tool_use_prompt_token_count",
        ),
        "output_tokens": (
            "candidatesTokenCount", "candidates_token_count", "thoughtsTokenCount", "thoughts_token_count",
        ),
    },
)  # fmt: skip
_BEDROCK: Final = TurnFormat(
    system=lambda text: {"system": [{"text": text}]},
    user=lambda text: {"role": "user", "content": [{"text": text}]},
    response=_bedrock,
    usage=("usage",),
    tokens={
        "input_tokens": ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"),
        "output_tokens": ("outputTokens",),
    },
)

TURN_FORMATS: Final[Mapping[str, TurnFormat]] = {
    "openai": _CHAT,
    "openai-strict": _CHAT,
    "openai-responses": _RESPONSES,
    "openai-responses-strict": _RESPONSES,
    "litellm": _CHAT,
    "anthropic": _ANTHROPIC,
    "anthropic-strict": _ANTHROPIC,
    "gemini": _GEMINI,
    "bedrock": _BEDROCK,
}
"""By provider. `mcp` has none: it is the side of a server."""
