"""Anthropic's messages API: blocks of content, `tool_use` with args as an object, and results in the next user turn.

The API: https://platform.claude.com/docs/en/api/messages. Thinking blocks must be sent back unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
    streamed_args,
    text_of,
    without_nulls,
)
from toolgen.providers.offering import members_of, payload_of
from toolgen.providers.protocol import MalformedResponse, ModelReply, Provider, TurnFormat
from toolgen.providers.schema_dialects import CLAUDE, CLAUDE_STRICT
from toolgen.spec.wire_names import STRICT

if TYPE_CHECKING:
    from toolgen.providers.protocol import CallAnswer, ChoiceMode, Incomplete, OfferedTool, ToolPayload

_CHOICES: Final = {"auto": "auto", "required": "any", "none": "none"}


class Anthropic(Provider):
    """The provider; `strict` asks for calls that follow the schema."""

    __slots__ = ()

    def tools(self, offered: Sequence[OfferedTool]) -> ToolPayload:
        """Return the tools of a request."""

        def tool(each: OfferedTool, args: dict[str, Any]) -> dict[str, Any]:
            about = {"name": each.name, "description": each.description, "input_schema": args}
            return {**about, "strict": True} if self.strict else about

        return payload_of(self, offered, tool, members_of)

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
        reason = text_of(response.get("stop_reason"), "stop_reason")
        finished = _FINISHED if calls else _FINISHED_TEXT
        return ModelReply(
            text="".join(text), calls=tuple(calls), incomplete=incomplete_of(reason, finished, INCOMPLETE)
        )

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


_FINISHED: Final = frozenset({"end_turn", "tool_use", "pause_turn", "compaction"})
_FINISHED_TEXT: Final = _FINISHED | {"stop_sequence"}
"""A complete call ends a response as `tool_use`; a stop sequence in its args cuts it off."""

INCOMPLETE: Final[Mapping[str, Incomplete]] = {
    "max_tokens": "token_limit",
    "model_context_window_exceeded": "token_limit",
    "refusal": "stopped",
}
"""https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons"""


def _content(response: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if "content" not in response_of(response):
        raise MalformedResponse("the response has no content")
    blocks = list_of(response["content"], "content")
    return [object_of(block, f"content[{index}]") for index, block in enumerate(blocks)]


def _sent_back(block: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out nulls, and what the SDK adds to a text that it parsed; the API refuses both, and args as text."""
    own = {name: value for name, value in without_nulls(block).items() if name != "parsed_output"}
    if isinstance(own.get("input"), str):
        own["input"] = payload_object(own["input"])
    return own


# Anthropic's messages as a stream: blocks of content that begin, grow and stop.
#
# The API: https://platform.claude.com/docs/en/build-with-claude/streaming.

_GROWS: Final = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
"""By the type of a delta, the member of the delta that is added to the one of the block."""


class Reader:
    """Adds the deltas to the blocks. Events that the SDK adds to those of the API are left out."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self._begun: dict[int, Mapping[str, Any]] = {}
        self._blocks: dict[int, Growing] = {}
        self._inputs: dict[int, Growing] = {}
        self._has_stopped = False

    def add(self, event: Mapping[str, Any]) -> str:
        """Take an event."""
        kind = event.get("type")
        if kind == "error":
            raise MalformedResponse("the stream reports an error")
        if kind == "message_start":
            self._message = dict(object_of(event.get("message"), "message"))
        elif kind == "content_block_start":
            begun = self._begun[_index(event)] = object_of(event.get("content_block"), "content_block")
            self._blocks[_index(event)] = Growing(begun)
        elif kind == "content_block_delta":
            return self._grow(_index(event), object_of(event.get("delta"), "delta"))
        elif kind == "message_delta":
            self._message.update(object_of(event.get("delta"), "delta"))
            if event.get("usage") is not None:  # of the whole message so far
                self._message["usage"] = {**self._message.get("usage", {}), **object_of(event["usage"], "usage")}
        elif kind == "message_stop":
            self._has_stopped = True
        return ""

    def response(self) -> dict[str, Any]:
        """Return the message."""
        if not self._has_stopped:
            raise MalformedResponse("the stream ended before the response did")
        return {**self._message, "content": [self._block(place) for place in sorted(self._blocks)]}

    def _block(self, place: int) -> dict[str, Any]:
        found = self._inputs.get(place)
        args = {} if found is None else {"input": streamed_args(found.value())}
        return {**self._blocks[place].value(), **args}

    def _grow(self, place: int, delta: Mapping[str, Any]) -> str:
        kind, begun = delta.get("type"), self._begun.get(place)
        if begun is None:
            raise MalformedResponse(f"content[{place}] of the response was not begun")
        block = self._blocks[place]
        if kind == "input_json_delta":
            text = text_of(delta.get("partial_json"), "delta.partial_json")
            self._inputs.setdefault(place, Growing("")).add(text)
        elif kind == "citations_delta":
            list_of(begun.get("citations"), "citations")
            block.add({"citations": [delta.get("citation")]})
        elif kind in _GROWS:
            member = _GROWS[kind]
            added = text_of(delta.get(member), f"delta.{member}")
            text_of(begun.get(member), f"content[{place}].{member}")
            block.add({member: added})
            return added if kind == "text_delta" else ""
        else:  # of a block that is new in the API, and that it wants back
            block.add({name: value for name, value in delta.items() if name != "type"})
        return ""


def _index(event: Mapping[str, Any]) -> int:
    index = event.get("index")
    if not isinstance(index, int):
        raise MalformedResponse("an event of the stream has no index")
    return index


def _response_of_reply(reply: ModelReply) -> dict[str, Any]:
    texts = [{"type": "text", "text": reply.text}] if reply.text else []
    calls = [
        {"type": "tool_use", "id": call.tool_call_id, "name": call.name, "input": payload_object(call.payload)}
        for call in reply.calls
    ]
    ended = {"stop_reason": reason_for(reply.incomplete, INCOMPLETE)} if reply.incomplete else {}
    return {"content": [*texts, *calls], **ended}


_TURNS: Final = TurnFormat(
    system=lambda text: {"system": text},
    user=lambda text: {"role": "user", "content": text},
    response=_response_of_reply,
    usage=("usage",),
    tokens={
        "input_tokens": ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
        "output_tokens": ("output_tokens",),
    },
)
PLAIN: Final = Anthropic(
    name="anthropic",
    telemetry_name="anthropic",
    grammar=STRICT,
    dialect=CLAUDE,
    max_tools=None,
    reader=Reader,
    turns=_TURNS,
)
WITH_STRICT: Final = replace(PLAIN, name="anthropic-strict", dialect=CLAUDE_STRICT)
