"""Gemini's `generateContent`: parts of content, `functionCall` with args as an object, and `functionResponse` parts.

The API: https://ai.google.dev/api/caching#FunctionDeclaration, and the types of google-genai. Requests use the API's
spelling, which its SDK accepts too. Responses may use either spelling: the SDK dumps `function_call`. Thought
signatures must be sent back with their parts.
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
from toolgen.providers.offering import lenient_payload, takes_args
from toolgen.providers.protocol import MalformedResponse, ModelReply
from toolgen.providers.schema_dialects import GEMINI
from toolgen.spec.wire_names import STRICT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.providers.protocol import CallAnswer, ChoiceMode, OfferedTool, Payload
    from toolgen.spec.wire_names import Grammar

_MODES: Final = {"auto": "AUTO", "required": "ANY", "none": "NONE"}


@dataclass(frozen=True, slots=True)
class Gemini:
    """The provider. Messages are entries of the next `contents`."""

    name: str = "gemini"
    grammar: Grammar = STRICT

    def tools(self, offered: Sequence[OfferedTool]) -> Payload:
        """Return the tools of a request."""

        def tool(each: OfferedTool, args: dict[str, Any]) -> dict[str, Any]:
            about: dict[str, Any] = {"name": each.name, "description": each.description}
            return {**about, "parametersJsonSchema": args} if takes_args(args) else about  # omitted if there are none

        return lenient_payload(self.grammar, offered, GEMINI, tool, _members)

    def tool_choice(self, mode: ChoiceMode, name: str = "") -> dict[str, Any]:
        """Return `toolConfig`."""
        if mode == "named":
            return _choice({"mode": "ANY", "allowedFunctionNames": [name]})
        return _choice({"mode": _MODES[mode]})

    def read(self, response: Mapping[str, Any]) -> ModelReply:
        """Parse the first candidate; without one, if the prompt was blocked, the reply is empty.

        Calls without ids, from some models, are answered in order. Raises `MalformedResponse`.
        """
        text: list[str] = []
        calls: list[ToolRequest] = []
        for index, part in enumerate(_parts(_content(response))):
            where = f"parts[{index}]"
            called = _member(part, "functionCall", "function_call")
            if called is not None:
                call = object_of(called, f"{where}.functionCall")
                calls.append(
                    ToolRequest(
                        tool_call_id=text_of(call.get("id"), f"{where}.functionCall.id"),
                        name=name_of(call.get("name"), f"{where}.functionCall.name"),
                        payload=arguments_text(call.get("args"), f"{where}.functionCall.args"),
                    )
                )
            elif not part.get("thought"):
                text.append(text_of(part.get("text"), f"{where}.text"))
        return ModelReply(text="".join(text), calls=tuple(calls))

    def messages(
        self, response: Mapping[str, Any], answers: Sequence[CallAnswer] = (), message: str = ""
    ) -> list[dict[str, Any]]:
        """Return the content of the model, if not empty, and that of the user."""
        own = [without_nulls(part) for part in _parts(_content(response))]
        results: list[dict[str, Any]] = [
            {"functionResponse": _response(answer)} for answer in answers_to(self.read(response).calls, answers)
        ]
        if message:
            results.append({"text": message})
        turns = (("model", own), ("user", results))
        return [{"role": role, "parts": parts} for role, parts in turns if parts]


def _members(tools: list[dict[str, Any]]) -> dict[str, Any]:
    return {"tools": [{"functionDeclarations": tools}]} if tools else {}


def _choice(config: dict[str, Any]) -> dict[str, Any]:
    return {"toolConfig": {"functionCallingConfig": config}}


def _response(answer: CallAnswer) -> dict[str, Any]:
    results = {"name": answer.name, "response": {"error" if answer.is_error else "output": answer.text}}
    return {"id": answer.tool_call_id, **results} if answer.tool_call_id else results


def _content(response: Mapping[str, Any]) -> Mapping[str, Any]:
    candidates = list_of(response_of(response).get("candidates"), "candidates")
    if not candidates:
        if _member(response, "promptFeedback", "prompt_feedback") is None:
            raise MalformedResponse("the response has no candidates, and no reason for that")
        return {}
    content = object_of(candidates[0], "candidates[0]").get("content")
    return {} if content is None else object_of(content, "candidates[0].content")


def _parts(content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    parts = list_of(content.get("parts"), "parts")
    return [object_of(part, f"parts[{index}]") for index, part in enumerate(parts)]


def _member(value: Mapping[str, Any], name: str, other: str) -> Any:
    return value.get(name) if value.get(name) is not None else value.get(other)


PLAIN: Final = Gemini()
