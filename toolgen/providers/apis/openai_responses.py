"""OpenAI's responses API: a flat list of items: calls, their outputs, reasoning and messages.

The API: https://developers.openai.com/api/reference/resources/responses. Functions are strict unless a request
says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ToolRequest
from toolgen.providers.apis.response_json import (
    answers_to,
    incomplete_of,
    list_of,
    name_of,
    object_of,
    payload_text,
    reason_for,
    response_of,
    text_of,
    without_nulls,
)
from toolgen.providers.offering import members_of, payload_of
from toolgen.providers.protocol import MalformedResponse, ModelReply, Provider, TurnFormat
from toolgen.providers.schema_dialects import OPENAI, OPENAI_MAX_TOOLS, OPENAI_STRICT
from toolgen.spec.wire_names import STRICT

if TYPE_CHECKING:
    from toolgen.providers.protocol import CallAnswer, ChoiceMode, Incomplete, OfferedTool, ToolPayload


class OpenAIResponses(Provider):
    """The provider; `strict` asks for calls that follow the schema. Messages are items of the next `input`."""

    __slots__ = ()

    def tools(self, offered: Sequence[OfferedTool]) -> ToolPayload:
        """Return the tools of a request."""

        def tool(each: OfferedTool, args: dict[str, Any]) -> dict[str, Any]:
            about = {"type": "function", "name": each.name, "description": each.description}
            return {**about, "parameters": args, "strict": self.strict}

        return payload_of(self, offered, tool, members_of)

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
        return ModelReply(text="".join(text), calls=tuple(calls), incomplete=_incomplete(response))

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


INCOMPLETE: Final[Mapping[str, Incomplete]] = {"max_output_tokens": "token_limit", "content_filter": "stopped"}


def _incomplete(response: Mapping[str, Any]) -> Incomplete | None:
    """Return why a response is incomplete; it is too if one of its items is."""
    is_cut = any(item.get("status") == "incomplete" for item in _items(response))
    if not is_cut and text_of(response.get("status"), "status") in ("", "completed"):
        return None
    details = response.get("incomplete_details")
    reason = object_of({} if details is None else details, "incomplete_details").get("reason")
    return incomplete_of(text_of(reason, "incomplete_details.reason") or "incomplete", (), INCOMPLETE)


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


# OpenAI's responses as a stream: events, the last of which has the whole response.
#
# The API: https://developers.openai.com/api/reference/resources/responses.

_TEXT: Final = ("response.output_text.delta", "response.refusal.delta")
_LAST: Final = ("response.completed", "response.incomplete", "response.failed")


class Reader:
    """Takes the response of the last event. Some servers leave its output out: then it is that of the items."""

    def __init__(self) -> None:
        self._items: list[Any] = []
        self._response: Mapping[str, Any] | None = None

    def add(self, event: Mapping[str, Any]) -> str:
        """Take an event."""
        kind = event.get("type")
        if kind == "error":
            raise MalformedResponse("the stream reports an error")
        if kind == "response.output_item.done":
            self._items.append(event.get("item"))
        elif kind in _LAST:
            self._response = object_of(event.get("response"), "response")
        return text_of(event.get("delta"), "delta") if kind in _TEXT else ""

    def response(self) -> dict[str, Any]:
        """Return the response."""
        if self._response is None:
            raise MalformedResponse("the stream ended before the response did")
        return {**self._response, "output": self._response.get("output") or self._items}


def _response_of_reply(reply: ModelReply) -> dict[str, Any]:
    content = [{"type": "output_text", "text": reply.text}]
    texts = [{"type": "message", "role": "assistant", "content": content}] if reply.text else []
    calls = [
        {
            "type": "function_call",
            "call_id": call.tool_call_id,
            "name": call.name,
            "arguments": payload_text(call.payload),
        }
        for call in reply.calls
    ]
    if reply.incomplete is None:
        return {"output": [*texts, *calls]}
    details = {"reason": reason_for(reply.incomplete, INCOMPLETE)}
    return {"output": [*texts, *calls], "status": "incomplete", "incomplete_details": details}


_TURNS: Final = TurnFormat(
    system=lambda text: {"instructions": text},
    user=lambda text: {"role": "user", "content": text},
    response=_response_of_reply,
    usage=("usage",),
    tokens={"input_tokens": ("input_tokens",), "output_tokens": ("output_tokens",)},
)
PLAIN: Final = OpenAIResponses(
    name="openai-responses",
    telemetry_name="openai",
    grammar=STRICT,
    dialect=OPENAI,
    max_tools=OPENAI_MAX_TOOLS,
    reader=Reader,
    turns=_TURNS,
)
WITH_STRICT: Final = replace(PLAIN, name="openai-responses-strict", dialect=OPENAI_STRICT)
