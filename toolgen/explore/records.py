"""Records: the runs of a store, read page by page without blocking the loop, whatever kind of store it is."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from toolgen.record.calls import caller_of, calls_of, stages_of, waited_us
from toolgen.record.chain import ChainCheck, chain_pages
from toolgen.runtime.events.encoding import COUNTED_AS
from toolgen.runtime.events.records import EVERY_RUN, EventKind, RunNotFound, RunRecord

if TYPE_CHECKING:
    from datetime import datetime

    from toolgen.record.calls import RecordedCall
    from toolgen.record.chain import ChainFinding, ChainKey
    from toolgen.record.stores import StoreReader
    from toolgen.runtime.events.records import Event, RunFilter, RunsPage, Store, StoredResult

RecordSource: TypeAlias = "Store | StoreReader"

_EVENTS: Final = 500
"""Events that are read at once."""

_FINDINGS: Final = 2 * _EVENTS
"""Findings of each kind that are kept while a record is verified: as many as a page can have."""

_AHEAD: Final = 2_000
"""Events behind the start of the last call of a page that are read to find how its calls end."""

_OUTLINES: Final = 300
_OUTLINED_CALLS: Final = 1_000_000
"""Outlines that are kept, and the calls in all of them, of 8 bytes each."""

_NAMES: Final = 1_000
"""Tools of a run that are kept, and agents."""

_CHILDREN: Final = 200
"""Runs that a run has started, of which the ids are kept."""


@dataclass(slots=True, eq=False)
class Outline:
    """What is known of a run from its first events: where its calls begin, how they end, and whose they are.

    It takes 8 bytes for each call, and grows as the run does: an event is read once. `waited_us` is what the first call
    waited before it started, which is before the run began; None while that is not known. It `is_whole` if it had all
    events of the run when it was read last.
    """

    after: int = -1
    events: int = 0
    first: Event | None = None
    last: datetime | None = None
    begins: array[int] = field(default_factory=lambda: array("q"))
    open: set[str] = field(default_factory=set[str])
    users: set[str] = field(default_factory=set[str])
    tools: set[str] = field(default_factory=set[str])
    agents: set[str] = field(default_factory=set[str])
    counts: dict[str, int] = field(default_factory=lambda: {"completed": 0, "failed": 0, "denied": 0})
    children: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    ended: str = ""
    first_call: str = ""
    waited_us: int | None = None
    is_whole: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def began(self) -> datetime | None:
        """The time of the first event; None before it is read."""
        return None if self.first is None else self.first.at

    @property
    def user(self) -> str | None:
        """The user of the run, as its calls say it; None for none, and for a run of several."""
        return next(iter(self.users)) if len(self.users) == 1 else None

    def has_tool(self, part: str) -> bool:
        """Whether a tool of the run has that in its name; a run of more tools than are kept may have it."""
        return len(self.tools) >= _NAMES or any(part in tool for tool in self.tools)

    def has_agent(self, agent: str) -> bool:
        """Whether an agent made calls in the run; a run of more agents than are kept may have it."""
        return len(self.agents) >= _NAMES or agent in self.agents

    def add(self, page: RunRecord) -> None:
        """Take note of the next events."""
        ends = {result.sequence for result in page.results}
        for event in page.events:
            self._add(event, is_end=event.sequence in ends)
        if page.events:
            self.first = self.first or page.events[0]
            self.last = page.events[-1].at
            self.events += len(page.events)
            self.after = page.events[-1].sequence

    def _add(self, event: Event, *, is_end: bool) -> None:
        user, agent = caller_of(event)
        if user is not None and len(self.users) < 2:
            self.users.add(user)
        if agent is not None and len(self.agents) < _NAMES:
            self.agents.add(agent)
        if len(self.tools) < _NAMES:
            self.tools.add(event.tool)
        if event.kind == EventKind.RUN_ENDED:
            self.ended = str(event.data.get("end_reason") or "")
        if event.kind == EventKind.AGENT_RUN_STARTED and len(self.children) < _CHILDREN:
            child = {"run": str(event.data.get("run_id", "")), "agent": str(event.data.get("agent", ""))}
            self.children.append({**child, "tool": event.tool})
        if not event.tool_call_id:
            return
        if event.tool_call_id not in self.open:
            self.begins.append(event.sequence)
            self.open.add(event.tool_call_id)
            if len(self.begins) == 1 and event.kind == EventKind.TOOL_STARTED:
                self.first_call = event.tool_call_id
        if is_end:
            if self.waited_us is None and event.tool_call_id == self.first_call:
                self.waited_us = waited_us(stages_of(event))
            self.open.discard(event.tool_call_id)
            self.counts[COUNTED_AS.get(event.kind, "failed")] += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsPage:
    """A page of the calls of a run, in the order of their starts.

    A call without a result is running, or, if `is_cut`, ends too far behind the page.
    """

    page: int
    has_more: bool
    began: datetime
    calls: tuple[RecordedCall, ...]
    is_cut: bool


class Records:
    """The runs of a `Store`, or of what reads the store of another process."""

    def __init__(self, source: RecordSource, key: ChainKey | None) -> None:
        self._source: Any = source
        self._key = key
        self._outlines: dict[str, Outline] = {}
        self.has_chain = key is not None and hasattr(source, "chain_page")

    async def latest_runs(self, most: int, *, skip: int = 0, which: RunFilter = EVERY_RUN) -> RunsPage:
        """List at most that many runs, the one with the latest event first. Raises `StoreError`."""
        return cast("RunsPage", await self._read(partial(self._source.latest_runs, most, skip=skip, which=which)))

    async def pages(self, run_id: str) -> AsyncGenerator[RunRecord]:
        """Yield the events of a run, page by page. Raises `RunNotFound`, and `StoreError`."""
        after, is_whole = -1, False
        while not is_whole:
            page = await self._page(run_id, after)
            if not page.events and after < 0:
                raise RunNotFound(run_id)
            yield page
            is_whole = len(page.events) < _EVENTS
            after = page.events[-1].sequence if page.events else after
            await asyncio.sleep(0)  # a store in memory never waits

    async def outline(
        self,
        run_id: str,
        *,
        calls: int | None = None,
        events: int | None = None,
        only: str | None = None,
        began: datetime | None = None,
    ) -> Outline:
        """Read a run until so many calls have begun, or so many events are known, or else to its end.

        With `only` it ends at an event of another user than that. A run of the same id that was deleted is not taken
        for this one: what is known has to begin as the run does now, at `began` if that is known. Raises `RunNotFound`,
        and `StoreError`.
        """
        known = self._outlines.get(run_id) or Outline()
        if known.first is not None and not await self._begins_so(run_id, known.first, began):
            known = Outline()
        self._outlines.pop(run_id, None)
        self._outlines[run_id] = known  # the latest is the last one
        async with known.lock:
            while (
                (calls is None or len(known.begins) < calls)
                and (events is None or known.events < events)
                and (only is None or known.users <= {only})
            ):
                page = await self._page(run_id, known.after)
                known.add(page)
                known.is_whole = len(page.events) < _EVENTS
                if known.is_whole:
                    break
                await asyncio.sleep(0)  # a store in memory never waits
        if known.began is None:
            self._outlines.pop(run_id, None)
            raise RunNotFound(run_id)
        self._forget()
        return known

    async def calls(self, run_id: str, page: int, size: int) -> CallsPage:
        """Read a page of calls, or the last one. Raises `RunNotFound`, and `StoreError`."""
        outline = await self.outline(run_id, calls=page * size + 1)
        page = min(page, max(1, -(-len(outline.begins) // size)))
        begins = outline.begins[(page - 1) * size : page * size]
        record, is_cut = await self._from(run_id, begins)
        if begins and not record.events:
            self._outlines.pop(run_id, None)
            raise RunNotFound(run_id)  # deleted meanwhile
        assert outline.began is not None
        return CallsPage(
            page=page,
            has_more=len(outline.begins) > page * size,
            began=outline.began,
            calls=calls_of(record),
            is_cut=is_cut,
        )

    async def verify(self, run_id: str) -> tuple[int, int, ChainFinding | None]:
        """Return how many rows the record of a run has, what is wrong with it first, and with how many of them.

        It is read page by page, as far as it shows without a head that was kept elsewhere. Raises `RunNotFound`,
        `ChainError` and `StoreError`.
        """
        assert self._key is not None
        head = await asyncio.to_thread(self._source.head, run_id)  # first: what is written meanwhile may come after it
        check = ChainCheck(run_id, head, self._key, most=_FINDINGS)
        pages = chain_pages(self._source, run_id, _EVENTS)
        while (page := await asyncio.to_thread(next, pages, None)) is not None:
            await asyncio.to_thread(check.add, page)
        findings = check.end()
        if findings:
            await asyncio.to_thread(self._source.head, run_id)  # unless it was deleted meanwhile
        return check.rows, len(findings) + check.left_out, findings[0] if findings else None

    async def _from(self, run_id: str, begins: array[int]) -> tuple[RunRecord, bool]:
        """Read the events of the calls that begin there, and whether some were left out that come much later."""
        events: list[Event] = []
        results: list[StoredResult] = []
        starts, going_on = set(begins), set[str]()
        after = begins[0] - 1 if begins else 0
        is_cut = False
        while begins and (after < begins[-1] or going_on) and not is_cut:
            page = await self._page(run_id, after)
            ends = {result.sequence: result for result in page.results}
            for event in page.events:
                if event.sequence in starts:
                    going_on.add(event.tool_call_id)
                elif event.tool_call_id not in going_on:
                    continue
                events.append(event)
                if event.sequence in ends:
                    results.append(ends[event.sequence])
                    going_on.discard(event.tool_call_id)
            if len(page.events) < _EVENTS:
                break
            after = page.events[-1].sequence
            is_cut = bool(going_on) and after > begins[-1] + _AHEAD
        return RunRecord(run_id=run_id, events=tuple(events), results=tuple(results)), is_cut

    async def _begins_so(self, run_id: str, first: Event, began: datetime | None) -> bool:
        """Whether a run begins with an event; by the time when it began, if that is known."""
        if began is not None:
            return began == first.at
        page: RunRecord = await self._read(self._source.page, run_id, -1, 1)
        return page.events == (first,)

    def _forget(self) -> None:
        """Forget the outlines that were not used for longest, as far as there are too many."""
        while len(self._outlines) > 1 and (
            len(self._outlines) > _OUTLINES
            or sum(len(each.begins) for each in self._outlines.values()) > _OUTLINED_CALLS
        ):
            del self._outlines[next(iter(self._outlines))]

    async def _page(self, run_id: str, after: int) -> RunRecord:
        return cast("RunRecord", await self._read(self._source.page, run_id, after, _EVENTS))

    async def _read(self, method: Callable[..., Any], *args: Any) -> Any:
        if asyncio.iscoroutinefunction(method):
            return await method(*args)
        return await asyncio.to_thread(method, *args)
