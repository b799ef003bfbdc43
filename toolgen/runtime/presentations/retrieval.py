"""retrieval: a model searches for tools, and from then on calls those it found by their names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.json_types import is_object
from toolgen.contract.records import FailureKind
from toolgen.runtime.presentations.calls import (
    answer,
    answer_json,
    answered,
    interpreted,
    not_offered,
    request,
    run_calls,
)
from toolgen.runtime.presentations.protocol import Calls, Surface

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgen.contract.messages import CallAnswer, Feedback, ModelCall, ModelReply
    from toolgen.contract.records import ToolResult
    from toolgen.runtime.presentations.candidates import Candidate, Candidates
    from toolgen.runtime.presentations.protocol import Ops, Outcome, PlainText, RequestedCall, Snippet

MOST_SEARCHES: Final = 5
"""Answers with a search after which the search is no longer offered."""

_USELESS: Final = frozenset({FailureKind.UNAVAILABLE, FailureKind.TOOL_NOT_AVAILABLE, FailureKind.INTERNAL})
"""How a search ends that will not work the next time either."""


class Retrieval:
    """Shows a search, a few tools that are always there, and what searches of this conversation found.

    A search that finds nothing new is the last, and so is that of the fifth answer. Where there is no search, or it
    does not work, all candidates are shown.
    """

    def __init__(self, candidates: Candidates, search: Candidate | None, base: Sequence[str] = ()) -> None:
        """`search` is the tool that finds candidates, `base` are the idents that are shown from the first."""
        self._candidates = candidates
        self._search = search
        self._shown = dict.fromkeys(ident for ident in base if ident in candidates)
        self._searches = 0
        self._surface: Surface | None = None

    def build_presentation(self) -> Surface:
        """Give the search, as long as it helps, and the tools found so far."""
        if self._search is None:
            return self._candidates.flat
        if self._surface is None:
            offered = self._candidates.offered(sorted(self._shown))
            if self._searches < MOST_SEARCHES:
                offered = (self._search.offered, *offered)
            self._surface = Surface(tools=offered, dispatchable={*self._shown, self._search.ident})
        return self._surface

    def interpret(self, reply: ModelReply) -> PlainText | Calls:
        """Read calls by the names of the tools that are shown."""
        return interpreted(reply, self._requested)

    async def execute(self, action: Calls | Snippet, ops: Ops) -> Outcome:
        """Make the calls, and show from now on what was found."""
        assert isinstance(action, Calls)  # it reads nothing else
        outcome = await run_calls(action, ops)
        self._take(outcome)
        return outcome

    async def format_feedback(self, outcome: Outcome) -> Feedback:
        """Answer each call by its result, and a search by the names that tools are now called by."""
        return await answered(outcome, self._told)

    def _requested(self, call: ModelCall) -> RequestedCall:
        search = self._search
        if search is not None and call.name == search.name:
            return request(search.ident, call)
        ident = self._candidates.by_name.get(call.name)
        is_shown = ident in self._shown or search is None
        return request(ident, call) if ident is not None and is_shown else not_offered(call)

    def _take(self, outcome: Outcome) -> None:
        """Learn from the searches of one answer."""
        if self._search is None:
            return
        searches = [result for result in outcome.results if result.tool_name == self._search.ident]
        if not searches:
            return
        if any(result.error is not None and result.error.kind in _USELESS for result in searches):
            self._search = None
            return
        before = len(self._shown)
        for result in searches:
            self._shown.update(dict.fromkeys(self._found(result)))
        found_nothing_new = len(self._shown) == before and all(result.success for result in searches)
        self._searches = MOST_SEARCHES if found_nothing_new else self._searches + 1
        self._surface = None

    def _found(self, result: ToolResult[Any]) -> list[str]:
        """The idents that a search gave, of those that may be told of."""
        value: Any = json.loads(result.payload) if result.success else None
        tools: list[Any] = value.get("tools", []) if is_object(value) else []
        return [tool["name"] for tool in tools if tool["name"] in self._candidates]

    async def _told(self, call: RequestedCall, result: ToolResult[Any]) -> CallAnswer:
        if result.error is not None or call.request is None or self._is_other(call.request.name):
            return answer(call, result)
        found = [self._candidates[ident] for ident in self._found(result)]
        tools = [{"name": each.name, "description": each.short_description} for each in found]
        return answer_json(call, {"tools": tools})

    def _is_other(self, ident: str) -> bool:
        return self._search is None or ident != self._search.ident
