"""Bedrock's Converse API: `toolConfig`, `toolUse` with args as an object, and `toolResult` in the next user turn.

The API: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, and the service model that
botocore ships. Reasoning must be sent back unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ToolRequest
from toolgen.providers.apis.response_json import (
    answers_to,
    arguments_text,
    incomplete_of,
    list_of,
    name_of,
    object_of,
    payload_object,
    reason_for,
    response_of,
    text_of,
    without_nulls,
)
from toolgen.providers.offering import payload_of
from toolgen.providers.protocol import ModelReply, OfferProblem, Provider, TurnFormat, UnsupportedCapability
from toolgen.providers.schema_dialects import CLAUDE
from toolgen.spec.wire_names import STRICT

if TYPE_CHECKING:
    from toolgen.providers.protocol import CallAnswer, ChoiceMode, Incomplete, OfferedTool, ToolPayload


class Bedrock(Provider):
    """The provider."""

    __slots__ = ()

    def tools(self, offered: Sequence[OfferedTool]) -> ToolPayload:
        """Return the tools of a request; neither an empty list nor an empty description is allowed."""

        def tool(each: OfferedTool, args: dict[str, Any]) -> dict[str, Any]:
            about = {"description": each.description} if each.description else {}
            return {"toolSpec": {"name": each.name, **about, "inputSchema": {"json": args}}}

        return payload_of(self, offered, tool, _members)

    def tool_choice(self, mode: ChoiceMode, name: str = "") -> dict[str, Any]:
        """Return `toolChoice`, in `toolConfig`. Raises `UnsupportedCapability` for `none`, which does not exist."""
        if mode == "none":
            reason = "Converse has no tool choice `none`; offer no tools instead"
            raise UnsupportedCapability(self.name, [OfferProblem("tool_choice", reason)])
        modes: dict[str, dict[str, Any]] = {
            "auto": {"auto": {}},
            "required": {"any": {}},
            "named": {"tool": {"name": name}},
        }
        return {"toolConfig": {"toolChoice": modes[mode]}}

    def read(self, response: Mapping[str, Any]) -> ModelReply:
        """Parse the message; reasoning is not text. Raises `MalformedResponse`."""
        text: list[str] = []
        calls: list[ToolRequest] = []
        for index, block in enumerate(_content(response)):
            where = f"content[{index}]"
            if block.get("text") is not None:
                text.append(text_of(block["text"], f"{where}.text"))
            elif block.get("toolUse") is not None:
                use = object_of(block["toolUse"], f"{where}.toolUse")
                if use.get("type") == "server_tool_use":
                    continue
                calls.append(
                    ToolRequest(
                        tool_call_id=name_of(use.get("toolUseId"), f"{where}.toolUse.toolUseId"),
                        name=name_of(use.get("name"), f"{where}.toolUse.name"),
                        payload=arguments_text(use.get("input"), f"{where}.toolUse.input"),
                    )
                )
        reason = text_of(response.get("stopReason"), "stopReason")
        finished = _FINISHED if calls else _FINISHED_TEXT
        return ModelReply(
            text="".join(text), calls=tuple(calls), incomplete=incomplete_of(reason, finished, INCOMPLETE)
        )

    def messages(
        self, response: Mapping[str, Any], answers: Sequence[CallAnswer] = (), message: str = ""
    ) -> list[dict[str, Any]]:
        """Return the turn of the model, if not empty, and that of the user: results first, then text."""
        own = [without_nulls(block) for block in _content(response)]
        results: list[dict[str, Any]] = [
            {"toolResult": _result(answer)} for answer in answers_to(self.read(response).calls, answers)
        ]
        if message:
            results.append({"text": message})
        turns = (("assistant", own), ("user", results))
        return [{"role": role, "content": content} for role, content in turns if content]


_FINISHED: Final = frozenset({"end_turn", "tool_use"})
_FINISHED_TEXT: Final = _FINISHED | {"stop_sequence"}
"""A complete call ends a response as `tool_use`; a stop sequence in its args cuts it off."""

INCOMPLETE: Final[Mapping[str, Incomplete]] = {
    "max_tokens": "token_limit",
    "model_context_window_exceeded": "token_limit",
    "malformed_tool_use": "malformed_call",
    "malformed_model_output": "malformed_call",
    "guardrail_intervened": "stopped",
    "content_filtered": "stopped",
}


def _members(tools: list[dict[str, Any]]) -> dict[str, Any]:
    return {"toolConfig": {"tools": tools}} if tools else {}


def _result(answer: CallAnswer) -> dict[str, Any]:
    status = "error" if answer.is_error else "success"
    return {"toolUseId": answer.tool_call_id, "content": [{"text": answer.text}], "status": status}


def _content(response: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    output = object_of(response_of(response).get("output"), "output")
    message = object_of(output.get("message"), "output.message")
    blocks = list_of(message.get("content"), "content")
    return [object_of(block, f"content[{index}]") for index, block in enumerate(blocks)]


def _response_of_reply(reply: ModelReply) -> dict[str, Any]:
    texts = [{"text": reply.text}] if reply.text else []
    calls = [
        {"toolUse": {"toolUseId": call.tool_call_id, "name": call.name, "input": payload_object(call.payload)}}
        for call in reply.calls
    ]
    ended = {"stopReason": reason_for(reply.incomplete, INCOMPLETE)} if reply.incomplete else {}
    return {"output": {"message": {"role": "assistant", "content": [*texts, *calls]}}, **ended}


_TURNS: Final = TurnFormat(
    system=lambda text: {"system": [{"text": text}]},
    user=lambda text: {"role": "user", "content": [{"text": text}]},
    response=_response_of_reply,
    usage=("usage",),
    tokens={
        "input_tokens": ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"),
        "output_tokens": ("outputTokens",),
    },
)
PLAIN: Final = Bedrock(
    name="bedrock",
    telemetry_name="aws.bedrock",
    grammar=STRICT,
    dialect=CLAUDE,
    max_tools=None,
    reader=None,
    turns=_TURNS,
)
