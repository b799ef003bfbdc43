"""Subscriptions: the events of a run as they are recorded, with those of the runs that its calls start."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from toolgen.runtime.events.records import EventKind, RunNotFound

if TYPE_CHECKING:
    from toolgen.runtime.events.records import Event, Store

_CALL_ENDED: Final = frozenset({EventKind.TOOL_COMPLETED, EventKind.TOOL_FAILED, EventKind.TOOL_DENIED})


async def subscribe(store: Store, run_id: str, *, children: bool = True) -> AsyncGenerator[Event]:
    """Return the events of a run, past and future ones, up to the first `run_ended`.

    With `children`, the events of the runs that its calls start are among them, and those of the runs below. Events of
    one run are in their order. Those of a child come after the event `agent_run_started` that has its id in
    `data["run_id"]`, those of its calls before `agent_run_ended`, and its end before that of the call that started it.
    To attach to one child alone, subscribe to its id. Raises `StoreError`.
    """
    subscription = _Subscription(store, with_children=children)
    subscription.follow(run_id)
    try:
        while True:
            event = await subscription.next_event()
            for each in await subscription.in_order(event):
                yield each
            if event.run_id == run_id and event.kind == EventKind.RUN_ENDED:
                return
    finally:
        await subscription.close()


class _Subscription:
    """Follows some runs, each in a task that puts its events into one queue."""

    def __init__(self, store: Store, *, with_children: bool) -> None:
        self._store: Final = store
        self._with_children: Final = with_children
        self._queue: Final[asyncio.Queue[Event | Exception]] = asyncio.Queue()
        self._followers: Final[dict[str, asyncio.Task[None]]] = {}
        self._stopped: Final[list[asyncio.Task[None]]] = []
        self._delivered: Final[dict[str, int]] = {}
        self._children: Final[defaultdict[tuple[str, str], list[str]]] = defaultdict(list)
        """The runs that a call started, by its run and id."""

    def follow(self, run_id: str) -> None:
        """Follow a run, unless that is done already: a call that is made again after a crash waits for the same one."""
        if run_id not in self._followers:
            self._followers[run_id] = asyncio.create_task(self._follow(run_id))

    async def next_event(self) -> Event:
        """Wait for an event. Raises what a follower raised."""
        event = await self._queue.get()
        if isinstance(event, Exception):
            raise event
        return event

    async def in_order(self, event: Event) -> list[Event]:
        """Return an event after all of the runs that ended with it; nothing if it was returned before."""
        if event.sequence <= self._delivered.get(event.run_id, -1):
            return []
        before = [each for child in self._ended_with(event) for each in await self._rest_of(child)]
        self._delivered[event.run_id] = event.sequence
        if event.kind == EventKind.AGENT_RUN_STARTED and self._with_children:
            child = str(event.data["run_id"])
            self._children[event.run_id, event.tool_call_id].append(child)
            self.follow(child)
        return [*before, event]

    async def close(self) -> None:
        """Stop following."""
        self._stop([*self._followers])
        await asyncio.gather(*self._stopped, return_exceptions=True)

    def _stop(self, run_ids: Iterable[str]) -> None:
        for run_id in run_ids:
            follower = self._followers.pop(run_id, None)
            if follower is not None:
                follower.cancel()
                self._stopped.append(follower)

    def _ended_with(self, event: Event) -> Sequence[str]:
        """Return the runs that made their last calls before an event; nothing follows once the call has ended."""
        if event.kind in _CALL_ENDED:
            ended = self._children.pop((event.run_id, event.tool_call_id), [])
            self._stop(ended)
            return ended
        is_link = event.kind == EventKind.AGENT_RUN_ENDED and event.data["run_id"] in self._followers
        return [event.data["run_id"]] if is_link else []

    async def _rest_of(self, run_id: str) -> list[Event]:
        """Return the events of a run which were not returned yet."""
        try:
            record = await self._store.read(run_id)
        except RunNotFound:  # nothing of it is recorded
            return []
        return [each for event in record.events for each in await self.in_order(event)]

    async def _follow(self, run_id: str) -> None:
        try:
            async for event in self._store.follow(run_id):
                await self._queue.put(event)
        except Exception as error:  # noqa: BLE001  # raised by the reader of the queue
            await self._queue.put(error)
