"""enumerate-all: every tool is listed, and called by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.llm.presentations.protocol import (
    answer,
    answer_unknown,
    answered,
    interpreted,
    is_offered,
    not_offered,
    request,
    run_calls,
)

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest, ToolResult
    from toolgen.llm.presentations.protocol import Candidates, PresentationOps, RequestedCall, ToolListing, Turn
    from toolgen.providers.protocol import CallAnswer, ModelReply


class EnumerateAll:
    """Lists all candidates, in the order of their idents. The request grows with their number."""

    def __init__(self, candidates: Candidates) -> None:
        self._candidates = candidates

    def build_presentation(self) -> ToolListing:
        """Return the tool listing, which never changes."""
        return self._candidates.flat

    def interpret(self, reply: ModelReply) -> Turn:
        """Resolve calls by the names of the tools."""
        return interpreted(reply, self._requested)

    async def execute(self, turn: Turn, ops: PresentationOps) -> Turn:
        """Make the calls."""
        return await run_calls(turn, ops)

    async def format_feedback(self, turn: Turn) -> Turn:
        """Answer each call with its result, or with similar names if there is no such tool."""
        return await answered(turn, self._answer)

    def _requested(self, call: ToolRequest) -> RequestedCall:
        ident = self._candidates.by_name.get(call.name)
        return not_offered(call) if ident is None else request(ident, call)

    async def _answer(self, call: RequestedCall, result: ToolResult[Any]) -> CallAnswer:
        return answer(call, result) if is_offered(call) else answer_unknown(call, self._candidates.by_name)
