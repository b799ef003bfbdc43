"""OpenAI's responses API: a flat list of items: calls, their outputs, reasoning and messages.

The API: https://developers.openai.com/api/reference/resources/responses. Functions are strict unless a request
says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ToolRequest
from toolgen.providers.apis.response_json import (
    answers_to,
    list_of,
    name_of,
    object_of,
    response_of,
    text_of,
    without_nulls,
)
from toolgen.providers.offering import lenient_payload, strict_payload
from toolgen.providers.protocol import MalformedResponse, ModelReply
from toolgen.providers.schema_dialects import OPENAI, OPENAI_STRICT
from toolgen.spec.wire_names import STRICT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.providers.protocol import CallAnswer, ChoiceMode, OfferedTool, Payload
    from toolgen.spec.wire_names import Grammar


@dataclass(frozen=True, slots=True)
class OpenAIResponses:
    """The provider; `strict` asks for calls that follow the schema. Messages are items of the next `input`."""

    name: str = "openai-responses"
    grammar: Grammar = STRICT
    strict: bool = False

    def tools(self, offered: Sequence[OfferedTool]) -> Payload:
        """Return the tools of a request."""

        def tool(each: OfferedTool, args: dict[str, Any]) -> dict[str, Any]:
            about = {"type": "function", "name": each.name, "description": each.description}
            return {**about, "parameters": args, "strict": self.strict}

        if self.strict:
            return strict_payload(self.grammar, offered, OPENAI_STRICT, tool, _members)
        return lenient_payload(self.grammar, offered, OPENAI, tool, _members)

    def tool_choice(self, mode: ChoiceMode, name: str = "") -> dict[str, Any]:
        """Return `tool_choice`."""
        if mode == "named":
            return {"tool_choice": {"type": "function", "name": name}}
        return {"tool_choice": mode}

    def read(self, response: Mapping[str, Any]) -> ModelReply:
        """Parse the output; a refusal is text. Raises `MalformedResponse`, also for a failed response."""
        if response_of(response).get("status") in ("failed", "cancelled"):
            raise MalformedResponse(f"the response says that it {response['status']}, so it has no answer")
        text: list[str] = []
        calls: list[ToolRequest] = []
        for index, item in enumerate(_items(response)):
            where = f"output[{index}]"
            if item.get("type") == "message":
                text += _texts(item, where)
            elif item.get("type") == "function_call":
                calls.append(
                    ToolRequest(
                        tool_call_id=name_of(item.get("call_id"), f"{where}.call_id"),
                        name=name_of(item.get("name"), f"{where}.name"),
                        payload=text_of(item.get("arguments"), f"{where}.arguments") or "{}",
                    )
                )
            elif item.get("type") == "custom_tool_call":
                raise MalformedResponse(
                    f"{where} of the response is not a function call, but only functions were offered"
                )
        return ModelReply(text="".join(text), calls=tuple(calls))

    def messages(
        self, response: Mapping[str, Any], answers: Sequence[CallAnswer] = (), message: str = ""
    ) -> list[dict[str, Any]]:
        """Return all items of the output, including reasoning, and one for each answer or a user message."""
        results: list[dict[str, Any]] = [
            {"type": "function_call_output", "call_id": answer.tool_call_id, "output": answer.text}
            for answer in answers_to(self.read(response).calls, answers)
        ]
        user = [{"role": "user", "content": message}] if message else []
        return [*map(_sent_back, _items(response)), *results, *user]


def _members(tools: list[dict[str, Any]]) -> dict[str, Any]:
    return {"tools": tools} if tools else {}


def _items(response: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if "output" not in response:
        raise MalformedResponse("the response has no output")
    return [object_of(item, f"output[{index}]") for index, item in enumerate(list_of(response["output"], "output"))]


def _sent_back(item: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out nulls, and what the SDK adds to a response that it parsed; the API refuses both."""
    own = {name: value for name, value in without_nulls(item).items() if name != "parsed_arguments"}
    if own.get("type") == "message":
        parts = [without_nulls(object_of(part, "content")) for part in list_of(own.get("content"), "content")]
        own["content"] = [{name: value for name, value in part.items() if name != "parsed"} for part in parts]
    return own


def _texts(item: Mapping[str, Any], where: str) -> list[str]:
    parts = [object_of(part, f"{where}.content") for part in list_of(item.get("content"), f"{where}.content")]
    return [
        text_of(part.get("text"), f"{where}.content[].text")
        or text_of(part.get("refusal"), f"{where}.content[].refusal")
        for part in parts
    ]


PLAIN: Final = OpenAIResponses()
WITH_STRICT: Final = OpenAIResponses("openai-responses-strict", strict=True)
