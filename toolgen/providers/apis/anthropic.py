"""Anthropic's messages API: blocks of content, `tool_use` with args as an object, and results in the next user turn.

The API: https://platform.claude.com/docs/en/api/messages. Thinking blocks must be sent back unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ToolRequest
from toolgen.providers.apis.response_json import (
    answers_to,
    arguments_text,
    list_of,
    name_of,
    object_of,
    response_of,
    text_of,
    without_nulls,
)
from toolgen.providers.offering import lenient_payload, strict_payload
from toolgen.providers.protocol import MalformedResponse, ModelReply
from toolgen.providers.schema_dialects import CLAUDE, CLAUDE_STRICT
from toolgen.spec.wire_names import STRICT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.providers.protocol import CallAnswer, ChoiceMode, OfferedTool, Payload
    from toolgen.spec.wire_names import Grammar

_CHOICES: Final = {"auto": "auto", "required": "any", "none": "none"}


@dataclass(frozen=True, slots=True)
class Anthropic:
    """The provider; `strict` asks for calls that follow the schema."""

    name: str = "anthropic"
    grammar: Grammar = STRICT
    strict: bool = False

    def tools(self, offered: Sequence[OfferedTool]) -> Payload:
        """Return the tools of a request."""

        def tool(each: OfferedTool, args: dict[str, Any]) -> dict[str, Any]:
            about = {"name": each.name, "description": each.description, "input_schema": args}
            return {**about, "strict": True} if self.strict else about

        if self.strict:
            return strict_payload(self.grammar, offered, CLAUDE_STRICT, tool, _members)
        return lenient_payload(self.grammar, offered, CLAUDE, tool, _members)

    def tool_choice(self, mode: ChoiceMode, name: str = "") -> dict[str, Any]:
        """Return `tool_choice`."""
        if mode == "named":
            return {"tool_choice": {"type": "tool", "name": name}}
        return {"tool_choice": {"type": _CHOICES[mode]}}

    def read(self, response: Mapping[str, Any]) -> ModelReply:
        """Parse the blocks; thinking is not text. Raises `MalformedResponse`."""
        text: list[str] = []
        calls: list[ToolRequest] = []
        for index, block in enumerate(_content(response)):
            where = f"content[{index}]"
            if block.get("type") == "text":
                text.append(text_of(block.get("text"), f"{where}.text"))
            elif block.get("type") == "tool_use":
                calls.append(
                    ToolRequest(
                        tool_call_id=name_of(block.get("id"), f"{where}.id"),
                        name=name_of(block.get("name"), f"{where}.name"),
                        payload=arguments_text(block.get("input"), f"{where}.input"),
                    )
                )
        return ModelReply(text="".join(text), calls=tuple(calls))

    def messages(
        self, response: Mapping[str, Any], answers: Sequence[CallAnswer] = (), message: str = ""
    ) -> list[dict[str, Any]]:
        """Return the turn of the model, if not empty, and that of the user: results first, then text."""
        own = [_sent_back(block) for block in _content(response)]
        results: list[dict[str, Any]] = [
            {
                "type": "tool_result",
                "tool_use_id": answer.tool_call_id,
                "content": answer.text,
                **({"is_error": True} if answer.is_error else {}),
            }
            for answer in answers_to(self.read(response).calls, answers)
        ]
        if message:
            results.append({"type": "text", "text": message})
        turns = (("assistant", own), ("user", results))
        return [{"role": role, "content": content} for role, content in turns if content]


def _members(tools: list[dict[str, Any]]) -> dict[str, Any]:
    return {"tools": tools} if tools else {}


def _content(response: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if "content" not in response_of(response):
        raise MalformedResponse("the response has no content")
    blocks = list_of(response["content"], "content")
    return [object_of(block, f"content[{index}]") for index, block in enumerate(blocks)]


def _sent_back(block: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out nulls, and what the SDK adds to a text that it parsed; the API refuses both."""
    return {name: value for name, value in without_nulls(block).items() if name != "parsed_output"}


PLAIN: Final = Anthropic()
WITH_STRICT: Final = Anthropic("anthropic-strict", strict=True)
