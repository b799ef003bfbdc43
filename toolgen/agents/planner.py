"""Planners: what a model wants next, given the conversation and the tools.

A planner decides, and nothing else: it knows no codec, and checks no args. The runtime decodes, validates, gives retry
hints and renders prompts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from toolgen.agents.messages import Message
from toolgen.contract.records import NOTHING

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta, ToolRequest
    from toolgen.runtime.catalog.definition import ToolDefinition


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
