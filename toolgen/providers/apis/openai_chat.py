"""OpenAI's chat completions: `tools`, `tool_calls` with args as JSON text, and messages of the role `tool`.

The API: https://developers.openai.com/api/reference/resources/chat. LiteLLM and many others use it too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ToolRequest
from toolgen.providers.apis.response_json import (
    Growing,
    answers_to,
    list_of,
    name_of,
    object_of,
    payload_text,
    reason_for,
    response_of,
    text_of,
    without_nulls,
)
from toolgen.providers.offering import members_of, payload_of, takes_args
from toolgen.providers.protocol import MalformedResponse, ModelReply, Provider, TurnFormat
from toolgen.providers.schema_dialects import OPENAI, OPENAI_MAX_TOOLS, OPENAI_STRICT
from toolgen.spec.wire_names import DOTTED, STRICT, wire_call_id

if TYPE_CHECKING:
    from toolgen.providers.protocol import CallAnswer, ChoiceMode, Incomplete, OfferedTool, ToolPayload
    from toolgen.spec.wire_names import Grammar


class OpenAIChat(Provider):
    """The provider; `strict` asks for calls that follow the schema."""

    __slots__ = ()

    def tools(self, offered: Sequence[OfferedTool]) -> ToolPayload:
        """Return the tools of a request; without tools it has no `tools`, which must not be empty."""

        def tool(each: OfferedTool, args: dict[str, Any]) -> dict[str, Any]:
            function: dict[str, Any] = {"name": each.name, "description": each.description}
            if self.strict:
                function |= {"parameters": args, "strict": True}
            elif takes_args(args):
                function["parameters"] = args  # omitted if there are none
            return {"type": "function", "function": function}

        return payload_of(self, offered, tool, members_of)

    def tool_choice(self, mode: ChoiceMode, name: str = "") -> dict[str, Any]:
        """Return `tool_choice`."""
        if mode == "named":
            return {"tool_choice": {"type": "function", "function": {"name": name}}}
        return {"tool_choice": mode}

    def read(self, response: Mapping[str, Any]) -> ModelReply:
        """Parse the first choice; a refusal is its text. Raises `MalformedResponse`, also for calls elsewhere."""
        message = _message(response)
        if message.get("function_call") is not None or len(response["choices"]) > 1:
            _refuse_other_calls(message, response["choices"])
        if message.get("audio") is not None:
            _audio(message)
        asked = list_of(message.get("tool_calls"), "tool_calls")
        reason = text_of(response["choices"][0].get("finish_reason"), "choices[0].finish_reason")
        incomplete = INCOMPLETE.get(reason)
        if len(asked) == 1:  # as is usual
            return ModelReply(text=_text(message), calls=(_call(asked[0], 0),), incomplete=incomplete)
        calls = tuple([_call(call, at) for at, call in enumerate(asked)])
        return ModelReply(text=_text(message), calls=calls, incomplete=incomplete)

    def messages(
        self, response: Mapping[str, Any], answers: Sequence[CallAnswer] = (), message: str = ""
    ) -> list[dict[str, Any]]:
        """Return the message of the model, and one for each answer or a user message."""
        own = {name: value for name, value in without_nulls(_message(response)).items() if name not in _NOT_SENT_BACK}
        if not own.get("tool_calls"):
            own.pop("tool_calls", None)  # an empty list is rejected
        else:
            own["tool_calls"] = [_call_sent_back(call, self.grammar) for call in own["tool_calls"]]
        if "audio" in own:
            own["audio"] = {"id": _audio(own).get("id")}
        model_turn = [own] if own.keys() & {"content", "tool_calls", "refusal", "audio"} else []
        results: list[dict[str, Any]] = [
            {"role": "tool", "tool_call_id": wire_call_id(answer.tool_call_id, self.grammar), "content": answer.text}
            for answer in answers_to(self.read(response).calls, answers)
        ]
        return [*model_turn, *results, *([{"role": "user", "content": message}] if message else [])]


INCOMPLETE: Final[Mapping[str, Incomplete]] = {
    "length": "token_limit",
    "model_length": "token_limit",  # Mistral
    "content_filter": "stopped",
    "insufficient_system_resource": "stopped",  # DeepSeek
    "error": "stopped",  # Mistral, OpenRouter
    "abort": "stopped",  # vLLM
}
"""Any other reason ends a complete response: servers that implement this API have names of their own for that."""

_NOT_SENT_BACK: Final = ("annotations", "parsed")
"""Members of a response's message that the API refuses in a request; the SDK adds the second."""


def _call_sent_back(call: Mapping[str, Any], grammar: Grammar) -> dict[str, Any]:
    """Leave out what only streams and the SDK's parser add to a call."""
    own = {name: value for name, value in call.items() if name != "index"}
    if "function" in own:
        own["function"] = {name: value for name, value in own["function"].items() if name != "parsed_arguments"}
    if grammar.call_id_length:
        own["id"] = wire_call_id(own["id"], grammar)
    return own


def _message(response: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        message: Any = response["choices"][0]["message"]
    except (KeyError, IndexError, TypeError):
        return _odd_message(response)
    is_plain = response.__class__ is dict and message.__class__ is dict
    return message if is_plain else _odd_message(response)


def _odd_message(response: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the message of a response that is malformed, or has values that only look like objects."""
    choices = list_of(response_of(response).get("choices"), "choices")
    if not choices:
        raise MalformedResponse("the response has no choices")
    return object_of(object_of(choices[0], "choices[0]").get("message"), "choices[0].message")


def _refuse_other_calls(message: Mapping[str, Any], choices: Any) -> None:
    """Raise `MalformedResponse` for calls that would be dropped: of the old API for one call, or of another choice."""
    if message.get("function_call") is not None:
        raise MalformedResponse("message.function_call is a call of an API before `tool_calls`: offer `tools` instead")
    for place, choice in enumerate(list_of(choices, "choices")[1:], 1):
        _refuse_calls_of(object_of(choice, f"choices[{place}]").get("message"), f"choices[{place}].message")


def _refuse_calls_of(message: Any, where: str) -> None:
    other = object_of(message or {}, where)
    if other.get("tool_calls") or other.get("function_call"):
        raise MalformedResponse(f"{where} has calls too, and only those of the first choice are made: ask with n=1")


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if content is None:  # as is usual beside calls
        return text_of(message.get("refusal"), "refusal")
    if isinstance(content, list):  # servers that implement this API, such as vLLM, may return parts
        parts = [object_of(part, "content") for part in list_of(content, "content")]
        content = "".join(text_of(part.get("text"), "content[].text") for part in parts)
    return text_of(content, "content") or text_of(message.get("refusal"), "refusal")


def _audio(message: Mapping[str, Any]) -> Mapping[str, Any]:
    audio = message.get("audio")
    return object_of({} if audio is None else audio, "choices[0].message.audio")


def _call(call: Any, at: int) -> ToolRequest:
    """Parse one call; well-formed ones without further checks."""
    try:
        function = call["function"]
        call_id, name, arguments = call["id"], function["name"], function["arguments"]
    except (KeyError, TypeError):
        return _odd_call(call, f"tool_calls[{at}]")
    is_plain = call.__class__ is dict and function.__class__ is dict and call.get("type") == "function"
    if is_plain and name and call_id and name.__class__ is call_id.__class__ is arguments.__class__ is str:
        return ToolRequest(tool_call_id=call_id, name=name, payload=arguments or "{}")
    return _odd_call(call, f"tool_calls[{at}]")


def _odd_call(given: Any, where: str) -> ToolRequest:
    call = object_of(given, where)
    if call.get("type", "function") != "function":
        raise MalformedResponse(f"{where} of the response is not a function call, but only functions were offered")
    function = object_of(call.get("function"), f"{where}.function")
    return ToolRequest(
        tool_call_id=name_of(call.get("id"), f"{where}.id"),
        name=name_of(function.get("name"), f"{where}.function.name"),
        payload=text_of(function.get("arguments"), f"{where}.function.arguments") or "{}",
    )


# OpenAI's chat completions as a stream: chunks, whose `delta` adds to the message.
#
# The API: https://developers.openai.com/api/reference/resources/chat.


class Reader:
    """Adds up the deltas of the first choice. Texts, lists and the args of calls are joined."""

    def __init__(self) -> None:
        self._message = {"role": Growing("assistant"), "content": Growing()}
        self._calls: list[_StreamedCall] = []
        self._at_index: dict[int, _StreamedCall] = {}
        self._finish: str | None = None
        self._usage: Any = None

    def add(self, chunk: Mapping[str, Any]) -> str:
        """Take a chunk. A refusal is text too."""
        if chunk.get("error") is not None:
            raise MalformedResponse("the stream reports an error")
        self._usage = chunk.get("usage") or self._usage
        said = ""
        for choice in list_of(chunk.get("choices"), "choices"):
            if object_of(choice, "choices[]").get("index", 0) == 0:
                said += self._add(object_of(choice.get("delta") or {}, "choices[0].delta"))
                self._finish = choice.get("finish_reason") or self._finish
            else:
                _refuse_calls_of(choice.get("delta"), "choices[].delta")
        return said

    def response(self) -> dict[str, Any]:
        """Return the completion."""
        if self._finish is None:
            raise MalformedResponse("the stream ended before the response did")
        calls = {"tool_calls": [call.value() for call in self._calls]} if self._calls else {}
        message = {name: member.value() for name, member in self._message.items()}
        choice = {"index": 0, "message": {**message, **calls}, "finish_reason": self._finish}
        return {"choices": [choice], **({"usage": self._usage} if self._usage else {})}

    def _add(self, delta: Mapping[str, Any]) -> str:
        for name, value in delta.items():
            if name == "tool_calls":
                for call in list_of(value, "delta.tool_calls"):
                    self._add_call(object_of(call, "delta.tool_calls[]"))
            elif name != "role" and value is not None:
                self._message.setdefault(name, Growing()).add(value)
        return text_of(delta.get("content"), "delta.content") or text_of(delta.get("refusal"), "delta.refusal")

    def _add_call(self, part: Mapping[str, Any]) -> None:
        """Add to a call. Some servers give no index, or the same to several calls, but an id and a name to each."""
        index, call_id = part.get("index"), text_of(part.get("id"), "delta.tool_calls[].id")
        function = object_of(part.get("function") or {}, "delta.tool_calls[].function")
        call = self._at_index.get(index) if isinstance(index, int) else self._calls[-1] if self._calls else None
        if call is None or (call_id and function.get("name") and call.id not in ("", call_id)):
            call = _StreamedCall()
            self._calls.append(call)
        if isinstance(index, int):
            self._at_index[index] = call
        call.id = call.id or call_id
        for name, member in call.function.items():
            member.add(text_of(function.get(name), f"delta.tool_calls[].function.{name}"))


@dataclass(slots=True)
class _StreamedCall:
    """A call of a stream, so far."""

    id: str = ""
    function: dict[str, Growing] = field(default_factory=lambda: {"name": Growing(""), "arguments": Growing("")})

    def value(self) -> dict[str, Any]:
        function = {name: member.value() for name, member in self.function.items()}
        return {"id": self.id, "type": "function", "function": function}


def _response_of_reply(reply: ModelReply) -> dict[str, Any]:
    calls = [
        {
            "id": call.tool_call_id,
            "type": "function",
            "function": {"name": call.name, "arguments": payload_text(call.payload)},
        }
        for call in reply.calls
    ]
    message = {"role": "assistant", "content": reply.text or None, **({"tool_calls": calls} if calls else {})}
    ended = {"finish_reason": reason_for(reply.incomplete, INCOMPLETE)} if reply.incomplete else {}
    return {"choices": [{"index": 0, "message": message, **ended}]}


_TURNS: Final = TurnFormat(
    system=lambda text: {"messages": [{"role": "system", "content": text}]},
    user=lambda text: {"role": "user", "content": text},
    response=_response_of_reply,
    usage=("usage",),
    tokens={"input_tokens": ("prompt_tokens",), "output_tokens": ("completion_tokens",)},
)
PLAIN: Final = OpenAIChat(
    name="openai",
    telemetry_name="openai",
    grammar=STRICT,
    dialect=OPENAI,
    max_tools=OPENAI_MAX_TOOLS,
    reader=Reader,
    turns=_TURNS,
)
WITH_STRICT: Final = replace(PLAIN, name="openai-strict", dialect=OPENAI_STRICT)
LITELLM: Final = replace(PLAIN, name="litellm", telemetry_name="litellm", grammar=DOTTED, max_tools=None)
