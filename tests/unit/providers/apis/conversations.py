"""The same two turns at each API: its responses, its checks of the next request, and a call through its SDK."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from toolgen.contract.records import ToolRequest
from toolgen.providers.protocol import CallAnswer, ModelReply, OfferedTool
from toolgen.providers.table import PROVIDERS, provider

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FIND = OfferedTool(
    name="shop__find",
    description="Find articles.",
    args={
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What to look for."},
            "limit": {"type": "integer", "minimum": 1, "default": 10},
        },
        "required": ["text"],
        "additionalProperties": False,
    },
)
PING = OfferedTool(
    name="shop__ping", description="Look whether it is open.", args={"type": "object", "additionalProperties": False}
)
TOOLS = (FIND, PING)

ANSWERS = (
    CallAnswer(tool_call_id="call_2", name="shop__ping", text="closed", is_error=True),
    CallAnswer(tool_call_id="call_1", name="shop__find", text='["hat"]'),
)
"""Not in the order of the calls, which the messages for each API must restore."""

REPLY = ModelReply(
    text="Let me look.",
    calls=(
        ToolRequest(name="shop__find", payload='{"text":"hat"}', tool_call_id="call_1"),
        ToolRequest(name="shop__ping", payload="{}", tool_call_id="call_2"),
    ),
)
"""The content of the first response of every API."""

LAST = ModelReply(text="There is a hat.")


@dataclass(frozen=True)
class Conversation:
    """`kept` is a part of the first response that must be sent back unchanged."""

    ask: Callable[[str, Mapping[str, Any], list[dict[str, Any]]], dict[str, Any]]
    opening: dict[str, Any]
    answers: tuple[dict[str, Any], dict[str, Any]]
    refuses: Callable[[dict[str, Any]], str]
    path: str
    kept: Any = None


def ask_openai(url: str, fields: Mapping[str, Any], messages: list[dict[str, Any]]) -> dict[str, Any]:
    from openai import OpenAI

    with OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client:
        create: Any = client.chat.completions.create  # the payload is under test, not the types of the SDK
        made = create(model="gpt", messages=messages, **fields)
        return dict(made.model_dump(mode="json"))


def ask_openai_responses(url: str, fields: Mapping[str, Any], messages: list[dict[str, Any]]) -> dict[str, Any]:
    from openai import OpenAI

    with OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client:
        create: Any = client.responses.create  # the payload is under test, not the types of the SDK
        made = create(model="gpt", input=messages, **fields)
        return dict(made.model_dump(mode="json"))


def ask_anthropic(url: str, fields: Mapping[str, Any], messages: list[dict[str, Any]]) -> dict[str, Any]:
    from anthropic import Anthropic

    with Anthropic(base_url=url, api_key="none", max_retries=0) as client:
        create: Any = client.messages.create  # the payload is under test, not the types of the SDK
        made = create(model="claude", max_tokens=99, messages=messages, **fields)
        return dict(made.model_dump(mode="json"))


def ask_gemini(url: str, fields: Mapping[str, Any], messages: list[dict[str, Any]]) -> dict[str, Any]:
    from google import genai

    client = genai.Client(api_key="none", http_options={"base_url": url})
    create: Any = client.models.generate_content  # the payload is under test, not the types of the SDK
    made = create(model="gemini", contents=messages, config=dict(fields))
    return dict(made.model_dump(mode="json"))


def ask_bedrock(url: str, fields: Mapping[str, Any], messages: list[dict[str, Any]]) -> dict[str, Any]:
    boto3 = import_module("boto3")  # it is untyped
    keys = dict.fromkeys(("region_name", "aws_access_key_id", "aws_secret_access_key"), "none")
    client: Any = boto3.client("bedrock-runtime", endpoint_url=url, **keys)
    return dict(client.converse(modelId="claude", messages=messages, **fields))


def refuses_openai(request: dict[str, Any]) -> str:
    """Each call is answered right after the message that made it, by a message of the role `tool`."""
    waiting: list[str] = []
    for message in request["messages"]:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return "a message of the role tool must follow its tool_calls"
            waiting.remove(message["tool_call_id"])
        elif waiting:
            return f"no answer to {waiting}"
        if message.get("tool_calls") == []:
            return "[] is too short - tool_calls"
        waiting += [call["id"] for call in message.get("tool_calls", ())]
    return f"no answer to {waiting}" if waiting else ""


def refuses_openai_responses(request: dict[str, Any]) -> str:
    """Each output has its call, each call its output, and each reasoning call is preceded by its reasoning."""
    items = request["input"]
    calls = [item["call_id"] for item in items if item.get("type") == "function_call"]
    outputs = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    if calls != outputs:
        return f"calls {calls} have outputs {outputs}"
    if calls and "reasoning" not in [item.get("type") for item in items]:
        return "function_call was provided without its required reasoning item"
    return "null is no value" if any(None in item.values() for item in items) else ""


def refuses_anthropic(request: dict[str, Any]) -> str:
    turns = [
        (turn["role"], [block for block in turn["content"] if isinstance(block, dict)]) for turn in request["messages"]
    ]
    called = [[block["id"] for block in blocks if block["type"] == "tool_use"] for _, blocks in turns]
    answered = [[block["tool_use_id"] for block in blocks if block["type"] == "tool_result"] for _, blocks in turns]
    if any(block["type"] == "thinking" and not block["signature"] for _, blocks in turns for block in blocks):
        return "thinking blocks must not be modified"
    return fault_of_turns([role for role, _ in turns], called, answered)


def refuses_bedrock(request: dict[str, Any]) -> str:
    turns = [(turn["role"], turn["content"]) for turn in request["messages"]]
    called = [[block["toolUse"]["toolUseId"] for block in blocks if "toolUse" in block] for _, blocks in turns]
    answered = [[block["toolResult"]["toolUseId"] for block in blocks if "toolResult" in block] for _, blocks in turns]
    return fault_of_turns([role for role, _ in turns], called, answered)


def refuses_gemini(request: dict[str, Any]) -> str:
    turns = [(turn["role"], turn["parts"]) for turn in request["contents"]]
    called = [[part["functionCall"]["id"] for part in parts if "functionCall" in part] for _, parts in turns]
    answered = [[part["functionResponse"]["id"] for part in parts if "functionResponse" in part] for _, parts in turns]
    return fault_of_turns([role for role, _ in turns], called, answered)


def fault_of_turns(roles: list[str], called: list[list[str]], answered: list[list[str]]) -> str:
    """Roles alternate, and the turn after calls answers all of them, and nothing else."""
    if any(one == other for one, other in pairwise(roles)):
        return "roles must alternate"
    return "" if [[], *called] == [*answered, []] else f"calls {called} have results {answered}"


def openai_answer(message: dict[str, Any], reason: str) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": reason, "logprobs": None, "message": {"role": "assistant", **message}}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "gpt", "choices": [choice]}


def openai_call(identity: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


def responses_answer(*output: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "r", "object": "response", "created_at": 1, "model": "gpt", "status": "completed", "output": list(output),
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None,
        "instructions": None, "metadata": {}, "temperature": 1.0, "top_p": 1.0,
    }  # fmt: skip


def responses_message(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [part]}


def anthropic_answer(reason: str, *content: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    about = {"id": "a", "type": "message", "role": "assistant", "model": "claude", "stop_sequence": None}
    return {**about, "content": list(content), "stop_reason": reason, "usage": usage}


def gemini_answer(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": "STOP", "index": 0}]}


def bedrock_answer(reason: str, *content: dict[str, Any]) -> dict[str, Any]:
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    message = {"role": "assistant", "content": list(content)}
    return {"output": {"message": message}, "stopReason": reason, "usage": usage, "metrics": {"latencyMs": 1}}


REASONING = {"id": "rs", "type": "reasoning", "summary": [], "encrypted_content": "c2VjcmV0"}
THINKING = {"type": "thinking", "thinking": "A hat, I guess.", "signature": "c2lnbmVk"}
SIGNED = {
    "functionCall": {"id": "call_1", "name": "shop__find", "args": {"text": "hat"}},
    "thoughtSignature": "c2lnbmVk",
}
REASONED = {"reasoningContent": {"reasoningText": {"text": "A hat, I guess.", "signature": "c2lnbmVk"}}}

_CHAT = Conversation(
    ask=ask_openai,
    opening={"role": "user", "content": "A hat?"},
    answers=(
        openai_answer(
            {
                "content": "Let me look.",
                "refusal": None,
                "annotations": [],
                "tool_calls": [
                    openai_call("call_1", "shop__find", '{"text":"hat"}'), openai_call("call_2", "shop__ping", "{}"),
                ],
            },
            "tool_calls",
        ),
        openai_answer({"content": "There is a hat.", "refusal": None}, "stop"),
    ),
    refuses=refuses_openai,
    path="/v1/chat/completions",
)  # fmt: skip
_RESPONSES = Conversation(
    ask=ask_openai_responses,
    opening={"role": "user", "content": "A hat?"},
    answers=(
        responses_answer(
            REASONING,
            responses_message("Let me look."),
            {
                "type": "function_call",
                "id": "f1",
                "call_id": "call_1",
                "name": "shop__find",
                "arguments": '{"text":"hat"}',
            },
            {"type": "function_call", "id": "f2", "call_id": "call_2", "name": "shop__ping", "arguments": ""},
        ),
        responses_answer(responses_message("There is a hat.")),
    ),
    refuses=refuses_openai_responses,
    path="/v1/responses",
    kept=REASONING,
)
_ANTHROPIC = Conversation(
    ask=ask_anthropic,
    opening={"role": "user", "content": "A hat?"},
    answers=(
        anthropic_answer(
            "tool_use",
            THINKING,
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "id": "call_1", "name": "shop__find", "input": {"text": "hat"}},
            {"type": "tool_use", "id": "call_2", "name": "shop__ping", "input": {}},
        ),
        anthropic_answer("end_turn", {"type": "text", "text": "There is a hat."}),
    ),
    refuses=refuses_anthropic,
    path="/v1/messages",
    kept=THINKING,
)

_BY_API = {
    "OpenAIChat": _CHAT,
    "OpenAIResponses": _RESPONSES,
    "Anthropic": _ANTHROPIC,
    "Gemini": Conversation(
        ask=ask_gemini,
        opening={"role": "user", "parts": [{"text": "A hat?"}]},
        answers=(
            gemini_answer(
                {"text": "A hat, I guess.", "thought": True},
                {"text": "Let me look."},
                SIGNED,
                {"functionCall": {"id": "call_2", "name": "shop__ping"}},
            ),
            gemini_answer({"text": "There is a hat."}),
        ),
        refuses=refuses_gemini,
        path="/v1/models/gemini:generateContent",
        kept=SIGNED,
    ),
    "Bedrock": Conversation(
        ask=ask_bedrock,
        opening={"role": "user", "content": [{"text": "A hat?"}]},
        answers=(
            bedrock_answer(
                "tool_use",
                REASONED,
                {"text": "Let me look."},
                {"toolUse": {"toolUseId": "call_1", "name": "shop__find", "input": {"text": "hat"}}},
                {"toolUse": {"toolUseId": "call_2", "name": "shop__ping", "input": {}}},
            ),
            bedrock_answer("end_turn", {"text": "There is a hat."}),
        ),
        refuses=refuses_bedrock,
        path="/model/claude/converse",
        kept=REASONED,
    ),
}

CONVERSATIONS = {
    name: conversation for name in PROVIDERS if (conversation := _BY_API.get(type(provider(name)).__name__)) is not None
}
"""By provider; MCP has no conversations."""
