"""retrieval: a model searches for tools, and can then call the found tools by their names."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.contract.records import FailureKind
from toolgen.llm.presentations.protocol import (
    ToolListing,
    answer,
    answer_json,
    answer_unknown,
    answered,
    interpreted,
    is_offered,
    not_offered,
    request,
    run_calls,
)
from toolgen.schema.json_values import is_object
from toolgen.spec.builtin import DISCOVERY

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest, ToolResult
    from toolgen.llm.presentations.protocol import Candidates, PresentationOps, RequestedCall, Turn
    from toolgen.providers.protocol import CallAnswer, ModelReply, OfferedTool

MOST_SEARCHES: Final = 5
"""Number of responses with a search after which the search is no longer offered."""

_USELESS: Final = frozenset({
    FailureKind.UNAVAILABLE, FailureKind.TOOL_NOT_AVAILABLE, FailureKind.INTERNAL, FailureKind.PERMISSION_DENIED,
    FailureKind.MALFORMED_RESULT,
})  # fmt: skip
"""Failures of a search that would also fail the next time."""

Fits: TypeAlias = "Callable[[Sequence[OfferedTool]], bool]"
"""Whether a provider accepts these tools in one request."""


class Retrieval:
    """Lists a search tool, a few base tools, and the tools found in this conversation.

    A search that finds nothing new is the last one, and so is that of the fifth response. If there is no search, if it
    fails, or if it ends without results, all candidates are listed. If a request would have too many tools, the tools
    found first are dropped.
    """

    def __init__(
        self, candidates: Candidates, search: OfferedTool | None, base: Sequence[str] = (), fits: Fits = lambda _: True
    ) -> None:
        """`search` is the search tool, `base` are the idents that are always listed."""
        self._candidates = candidates
        self._search = search
        self._base = tuple(ident for ident in base if ident in candidates)
        self._fits = fits
        self._found: dict[str, None] = {}
        self._searches = 0
        self._listing: ToolListing | None = None

    def build_presentation(self) -> ToolListing:
        """Return the search tool, unless searching has ended, and the tools found so far."""
        if self._search is None:
            return self._candidates.flat
        if self._listing is None:
            self._listing = self._shown(self._search)
        return self._listing

    def interpret(self, reply: ModelReply) -> Turn:
        """Resolve calls by the names of the listed tools."""
        return interpreted(reply, self._requested)

    async def execute(self, turn: Turn, ops: PresentationOps) -> Turn:
        """Make the calls, and list the found tools from now on."""
        done = await run_calls(turn, ops)
        if self._search is not None:
            self._take(self._search, done)
        return done

    async def format_feedback(self, turn: Turn) -> Turn:
        """Answer each call with its result, and a search with the names of the found tools."""
        return await answered(turn, self._answer)

    def _shown(self, search: OfferedTool) -> ToolListing:
        first = (search,) if self._searches < MOST_SEARCHES else ()
        while True:
            idents = sorted({*self._base, *self._found})
            offered = (*first, *self._candidates.offered(idents))
            if not self._found or self._fits(offered):
                return ToolListing(tools=offered, dispatchable={*idents, *([search.ident] if first else [])})
            del self._found[next(iter(self._found))]

    def _requested(self, call: ToolRequest) -> RequestedCall:
        listing, search = self.build_presentation(), self._search
        if search is not None and call.name == search.name:
            return request(search.ident, call) if search.ident in listing.dispatchable else not_offered(call)
        ident = self._candidates.by_name.get(call.name)
        return request(ident, call) if ident is not None and ident in listing.dispatchable else not_offered(call)

    def _take(self, search: OfferedTool, turn: Turn) -> None:
        """Process the searches of one response."""
        searches = [result for call, result in turn.made if call.request and call.request.name == search.ident]
        if not searches:
            return
        known = self._found.keys() | self._base
        for result in searches:
            self._found.update(dict.fromkeys(ident for ident in self._idents_in(result) if ident not in known))
        is_useless = any(result.error is not None and result.error.kind in _USELESS for result in searches)
        found_nothing_new = all(result.success for result in searches) and self._found.keys() <= known
        self._searches = MOST_SEARCHES if found_nothing_new and self._found else self._searches + 1
        if is_useless or (self._searches >= MOST_SEARCHES and not self._found):
            self._search = None
        self._listing = None

    def _idents_in(self, result: ToolResult[Any]) -> list[str]:
        """Return the idents in a search result that are candidates."""
        value: Any = json.loads(result.payload) if result.success else None
        tools: list[Any] = value.get("tools", []) if is_object(value) else []
        return [tool["name"] for tool in tools if tool["name"] in self._candidates]

    async def _answer(self, call: RequestedCall, result: ToolResult[Any]) -> CallAnswer:
        listing = self.build_presentation()
        if not is_offered(call):
            return answer_unknown(call, [tool.name for tool in listing.tools])
        if result.error is not None or result.tool_name not in DISCOVERY:
            return answer(call, result)
        found = [self._candidates[ident] for ident in self._idents_in(result) if ident in listing.dispatchable]
        tools = [{"name": each.name, "description": each.short_description} for each in found]
        return answer_json(call, {"tools": tools})
