"""A planner that plays a script, for tests and for runs without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.agents.messages import Message
from toolgen.agents.planner import Calls, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.agents.planner import Plan
    from toolgen.contract.records import ToolCallMeta, ToolRequest
    from toolgen.runtime.catalog.definition import ToolDefinition


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
            return Outcome(value=self._answer)
        return Calls(message=Message(role="assistant", calls=tuple(self._turns[done])))
