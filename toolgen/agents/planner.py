"""Planners: what a model wants next, given the messages of a conversation and the tools.

A planner decides, and nothing else: it knows no codec, and checks no args. The runtime decodes, validates, gives retry
hints and renders prompts. Messages are independent of any API.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from toolgen.contract.records import NOTHING, Issue, MalformedRequest, ToolRequest
from toolgen.runtime.base.field_types import (
    BOOLEAN,
    OPTIONAL_JSON_OBJECT,
    TEXT,
    FieldType,
    array,
    array_of,
    check_fields,
    record_of,
)
from toolgen.schema.json_values import is_object, is_text

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.catalog.definition import ToolDefinition


_ROLES: Final = ("system", "user", "assistant", "tool")

_MESSAGE: Final[Mapping[str, FieldType]] = {
    "role": FieldType(f"be one of {', '.join(_ROLES)}", lambda value: is_text(value) and value in _ROLES),
    "content": TEXT,
    "calls": array_of(ToolRequest, "calls"),
    "name": TEXT,
    "tool_call_id": TEXT,
    "is_error": BOOLEAN,
    "response": OPTIONAL_JSON_OBJECT,
}
_CALL: Final[Mapping[str, FieldType]] = {
    "name": TEXT,
    "payload": FieldType("be text", lambda value: isinstance(value, str | bytes)),
    "tool_call_id": TEXT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation.

    `calls` are what a message of the assistant asks for. A message of the role `tool` answers one of them: `name` and
    `tool_call_id` are those of the call, `content` is its result as a model reads it. `response` is the response of an
    API as plain JSON, for planners whose API takes parts of it back unchanged.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    calls: tuple[ToolRequest, ...] = ()
    name: str = ""
    tool_call_id: str = ""
    is_error: bool = False
    response: Mapping[str, Any] | None = None


def message_as_json(message: Message) -> dict[str, Any]:
    """Return a message as a JSON object, without fields that have their default."""
    fields: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.calls:
        fields["calls"] = [_call_as_json(call) for call in message.calls]
    for name in ("name", "tool_call_id", "is_error", "response"):
        if value := getattr(message, name):
            fields[name] = value
    return fields


def message_from_json(fields: Mapping[str, Any]) -> Message:
    """Return the message that `message_as_json` wrote. Raises ValueError for other fields.

    Their types are not checked: a planner may have written anything.
    """
    return _message_from_json(fields, "a message")


def _message_from_json(given: Any, where: str) -> Message:
    if is_object(given) and "calls" in given:
        calls = array(given["calls"], f"{where}.calls")
        made = tuple(call_from_json(call, f"{where}.calls[{place}]") for place, call in enumerate(calls))
        given = {**given, "calls": made}
    return record_of(Message, given, where)


def messages_from_json(given: Any) -> tuple[Message, ...]:
    """Return the messages that a JSON array has. Raises ValueError, with the place, for other values and fields."""
    return tuple(_message_from_json(each, f"messages[{at}]") for at, each in enumerate(array(given, "messages")))


def check_message(message: Message, where: str) -> None:
    """Raise ValueError for a message, or a call of it, whose fields have other types. It is at `where`."""
    check_fields(message, _MESSAGE, f"{where}.")
    for place, call in enumerate(message.calls):
        check_fields(call, _CALL, f"{where}.calls[{place}].")


def _call_as_json(call: ToolRequest) -> dict[str, Any]:
    """Return a call as a JSON object; its payload stays text, because a model may have written no JSON."""
    payload = call.payload if isinstance(call.payload, str) else call.payload.decode(errors="replace")
    fields: dict[str, Any] = {"name": call.name, "payload": payload, "tool_call_id": call.tool_call_id}
    if isinstance(call, MalformedRequest):
        fields |= {"tool": call.tool, "issues": [asdict(issue) for issue in call.issues]}
    return fields


def call_from_json(fields: Any, where: str = "a call") -> ToolRequest:
    """Return the call that `_call_as_json` wrote. Raises ValueError for other fields; `where` names it there."""
    if not is_object(fields) or "issues" not in fields:
        return record_of(ToolRequest, fields, where)
    given = enumerate(array(fields["issues"], f"{where}.issues"))
    issues = tuple(record_of(Issue, each, f"{where}.issues[{place}]") for place, each in given)
    return record_of(MalformedRequest, {**fields, "issues": issues}, where)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCalls:
    """A message of the assistant with calls. `telemetry` has figures of the request, such as its tokens."""

    message: Message
    telemetry: Mapping[str, Any] = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """How a run of an agent ended.

    `value` is its answer: a JSON value, or a value of the result type of the tool that started it. `telemetry` is a
    JSON object with figures, such as the tokens that its model used.
    """

    value: Any
    telemetry: Mapping[str, Any] = NOTHING


Plan: TypeAlias = PlannedCalls | RunOutcome
"""What a model wants next: calls, or the end of the run with its answer."""


class Planner(Protocol):
    """Plans the next step of a run. One planner serves any number of runs, and keeps nothing about them."""

    async def plan(
        self, messages: Sequence[Message], tools: Mapping[str, ToolDefinition], meta: ToolCallMeta, /
    ) -> Plan:
        """Return calls, or the outcome.

        `messages` are the whole conversation, `tools` those that the run has, by ident, read when they are used. If it
        raises, the run fails.
        """
        ...


def checked(plan: Any) -> Plan:
    """Return what a planner returned. Raises TypeError if it is no plan, or has fields of other types."""
    if isinstance(plan, (PlannedCalls, RunOutcome)) and not isinstance(plan.telemetry, Mapping):
        raise TypeError(f"the planner returned a {_type(plan.telemetry)} as telemetry; it must be a mapping")
    if isinstance(plan, RunOutcome):
        return plan
    if not isinstance(plan, PlannedCalls) or not isinstance(plan.message, Message):
        returned = f"Calls with a {_type(plan.message)}" if isinstance(plan, PlannedCalls) else f"a {_type(plan)}"
        raise TypeError(f"the planner returned {returned}; it must return Calls with a Message, or an Outcome")
    for place, call in enumerate(plan.message.calls):
        for name, types in (("name", str), ("tool_call_id", str), ("payload", (str, bytes))):
            value = getattr(call, name, None)
            if not isinstance(value, types):
                raise TypeError(f"the planner returned Calls whose call {place} has a {_type(value)} as its {name}")
    return plan


def _type(value: Any) -> str:
    return type(value).__qualname__


# A planner that plays a script, for tests and for runs without a model.


class ScriptedPlanner:
    """Makes the calls of each turn, whatever their results, and gives one answer.

    It keeps nothing: how far a run has come is the number of messages with calls, so it serves any number of runs.
    """

    def __init__(self, *turns: Sequence[ToolRequest], answer: Any = "done") -> None:
        self._turns: Final = turns
        self._answer: Final = answer

    async def plan(
        self, messages: Sequence[Message], _tools: Mapping[str, ToolDefinition], _meta: ToolCallMeta, /
    ) -> Plan:
        """Return the calls of the next turn, or the answer."""
        done = sum(bool(message.calls) for message in messages)
        if done == len(self._turns):
            return RunOutcome(value=self._answer)
        return PlannedCalls(message=Message(role="assistant", calls=tuple(self._turns[done])))
