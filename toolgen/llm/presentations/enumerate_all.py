"""enumerate-all: every tool is in the list, and is called by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.llm.presentations.calls import (
    answer,
    answer_unknown,
    answered,
    interpreted,
    is_offered,
    not_offered,
    request,
    run_calls,
)
from toolgen.llm.presentations.protocol import Calls, ToolListing

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.llm.presentations.candidates import Candidates
    from toolgen.llm.presentations.protocol import Ops, Outcome, PlainText, RequestedCall, Snippet
    from toolgen.providers.messages import CallAnswer, Feedback, ModelCall, ModelReply


class EnumerateAll:
    """Shows all candidates, flat, in the order of their idents. The request grows with them."""

    def __init__(self, candidates: Candidates) -> None:
        self._candidates = candidates

    def build_presentation(self) -> ToolListing:
        """Give the one surface there is."""
        return self._candidates.flat

    def interpret(self, reply: ModelReply) -> PlainText | Calls:
        """Read calls by the names of the tools."""
        return interpreted(reply, self._requested)

    async def execute(self, action: Calls | Snippet, ops: Ops) -> Outcome:
        """Make the calls."""
        assert isinstance(action, Calls)  # it reads nothing else
        return await run_calls(action, ops)

    async def format_feedback(self, outcome: Outcome) -> Feedback:
        """Answer each call by its result; one of no tool by the names that resemble it."""
        return await answered(outcome, self._told)

    def _requested(self, call: ModelCall) -> RequestedCall:
        ident = self._candidates.by_name.get(call.name)
        return not_offered(call) if ident is None else request(ident, call)

    async def _told(self, call: RequestedCall, result: ToolResult[Any]) -> CallAnswer:
        return answer(call, result) if is_offered(call) else answer_unknown(call, self._candidates.by_name)
