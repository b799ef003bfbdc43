"""Gemini's `generateContent`: parts of content, `functionCall` with args as an object, and `functionResponse` parts.

The API: https://ai.google.dev/api/caching#FunctionDeclaration, and the types of google-genai. Requests use the API's
spelling, which its SDK accepts too. Responses may use either spelling: the SDK dumps `function_call`. Thought
signatures must be sent back with their parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ToolRequest
from toolgen.providers.apis.response_json import (
    Growing,
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
from toolgen.providers.offering import payload_of, takes_args
from toolgen.providers.protocol import MalformedResponse, ModelReply, Provider, TurnFormat
from toolgen.providers.schema_dialects import GEMINI
from toolgen.spec.wire_names import LETTER_FIRST

if TYPE_CHECKING:
    from toolgen.providers.protocol import CallAnswer, ChoiceMode, Incomplete, OfferedTool, ToolPayload

_MODES: Final = {"auto": "AUTO", "required": "ANY", "none": "NONE"}


class Gemini(Provider):
    """The provider. Messages are entries of the next `contents`."""

    __slots__ = ()

    def tools(self, offered: Sequence[OfferedTool]) -> ToolPayload:
        """Return the tools of a request."""

        def tool(each: OfferedTool, args: dict[str, Any]) -> dict[str, Any]:
            about: dict[str, Any] = {"name": each.name, "description": each.description}
            return {**about, "parametersJsonSchema": args} if takes_args(args) else about  # omitted if there are none

        return payload_of(self, offered, tool, _members)

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
        reason = text_of(_member(_candidate(response), "finishReason", "finish_reason"), "candidates[0].finishReason")
        return ModelReply(
            text="".join(text), calls=tuple(calls), incomplete=incomplete_of(reason, _FINISHED, INCOMPLETE)
        )

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


_FINISHED: Final = frozenset({"STOP", "FINISH_REASON_UNSPECIFIED"})
INCOMPLETE: Final[Mapping[str, Incomplete]] = {
    "MAX_TOKENS": "token_limit",
    "CONTINUATION": "token_limit",
    "MALFORMED_FUNCTION_CALL": "malformed_call",
    "UNEXPECTED_TOOL_CALL": "malformed_call",
    "MALFORMED_RESPONSE": "malformed_call",
    **dict.fromkeys(
        (
            *("SAFETY", "RECITATION", "LANGUAGE", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "NO_IMAGE"),
            *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "IMAGE_OTHER", "TOO_MANY_TOOL_CALLS"),
            *("MISSING_THOUGHT_SIGNATURE", "ESCALATION", "PUP_LIMITED_DISABLED", "MODEL_ARMOR"),
        ),
        "stopped",
    ),
}
"""https://ai.google.dev/api/generate-content#FinishReason, and what the SDK has beyond it."""


def _members(tools: list[dict[str, Any]]) -> dict[str, Any]:
    return {"tools": [{"functionDeclarations": tools}]} if tools else {}


def _choice(config: dict[str, Any]) -> dict[str, Any]:
    return {"toolConfig": {"functionCallingConfig": config}}


def _response(answer: CallAnswer) -> dict[str, Any]:
    results = {"name": answer.name, "response": {"error" if answer.is_error else "output": answer.text}}
    return {"id": answer.tool_call_id, **results} if answer.tool_call_id else results


def _candidate(response: Mapping[str, Any]) -> Mapping[str, Any]:
    candidates = list_of(response_of(response).get("candidates"), "candidates")
    if not candidates:
        if _member(response, "promptFeedback", "prompt_feedback") is None:
            raise MalformedResponse("the response has no candidates, and no reason for that")
        return {}
    return object_of(candidates[0], "candidates[0]")


def _content(response: Mapping[str, Any]) -> Mapping[str, Any]:
    content = _candidate(response).get("content")
    return {} if content is None else object_of(content, "candidates[0].content")


def _parts(content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    parts = list_of(content.get("parts"), "parts")
    return [object_of(part, f"parts[{index}]") for index, part in enumerate(parts)]


def _member(value: Mapping[str, Any], name: str, other: str) -> Any:
    return value.get(name) if value.get(name) is not None else value.get(other)


# Gemini's `streamGenerateContent`: each chunk is a response with some of the parts.
#
# The API: https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent.

_PLAIN: Final = frozenset({"text", "thought"})
"""Members of a part that can be joined with the next; one with a signature must come back as it was."""


class Reader:
    """Joins the parts of the first candidate: texts that follow each other become one part."""

    def __init__(self) -> None:
        self._parts: list[Growing] = []
        self._last: dict[str, Any] = {}
        self._about: dict[str, Any] = {}
        self._finish: str | None = None
        self._usage: dict[str, Any] = {}

    def add(self, chunk: Mapping[str, Any]) -> str:
        """Take a chunk. Thoughts are no text."""
        said = ""
        for name in ("promptFeedback", "prompt_feedback"):
            if chunk.get(name) is not None:
                self._about[name] = chunk[name]
        for name in ("usageMetadata", "usage_metadata"):
            if chunk.get(name) is not None:  # of the whole response so far
                self._usage[name] = chunk[name]
        candidates = list_of(chunk.get("candidates"), "candidates")
        if not candidates:
            return said
        candidate = object_of(candidates[0], "candidates[0]")
        self._finish = candidate.get("finishReason") or candidate.get("finish_reason") or self._finish
        content = object_of(candidate.get("content") or {}, "candidates[0].content")
        for each in list_of(content.get("parts"), "parts"):
            part = {name: value for name, value in object_of(each, "parts[]").items() if value is not None}
            text = text_of(part.get("text"), "parts[].text")
            self._append(part)
            if not part.get("thought"):
                said += text
        return said

    def response(self) -> dict[str, Any]:
        """Return the response."""
        if self._finish is None:
            if self._about:  # the prompt was blocked
                return {**self._about, **self._usage, "candidates": []}
            raise MalformedResponse("the stream ended before the response did")
        content = {"role": "model", "parts": [part.value() for part in self._parts]}
        candidate = {"content": content, "finishReason": self._finish}
        return {**self._about, **self._usage, "candidates": [candidate]}

    def _append(self, part: dict[str, Any]) -> None:
        last = self._last
        is_text = "text" in part and "text" in last and part.keys() | last.keys() <= _PLAIN
        if is_text and bool(part.get("thought")) == bool(last.get("thought")):
            self._parts[-1].add({"text": part["text"]})
        else:
            self._parts.append(Growing(part))
            self._last = part


def _response_of_reply(reply: ModelReply) -> dict[str, Any]:
    texts = [{"text": reply.text}] if reply.text else []
    calls = [
        {"functionCall": {"id": call.tool_call_id, "name": call.name, "args": payload_object(call.payload)}}
        for call in reply.calls
    ]
    ended = {"finishReason": reason_for(reply.incomplete, INCOMPLETE)} if reply.incomplete else {}
    return {"candidates": [{"content": {"role": "model", "parts": [*texts, *calls]}, **ended}]}


_TURNS: Final = TurnFormat(
    system=lambda text: {"systemInstruction": {"parts": [{"text": text}]}},
    user=lambda text: {"role": "user", "parts": [{"text": text}]},
    response=_response_of_reply,
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
PLAIN: Final = Gemini(
    name="gemini",
    telemetry_name="gcp.gemini",
    grammar=LETTER_FIRST,
    dialect=GEMINI,
    max_tools=None,
    reader=Reader,
    turns=_TURNS,
)
