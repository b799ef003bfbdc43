"""Subscriptions: one run or all below it, live or afterwards, in an order that a timeline can show."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.toolsets.agent.agents.world import DELEGATE, FOUND, World, call_of, in_time, search
from toolgen.agents import Message, RunOutcome, ScriptedPlanner, run_agent, subscribe
from toolgen.contract.records import ToolResult
from toolgen.record.memory import MemoryStore
from toolgen.record.sqlite import SqliteStore
from toolgen.runtime.events.records import NewEvent, StoreError
from toolgen.runtime.runs.children import start_child

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from toolgen.agents import AgentRun
    from toolgen.runtime.events.records import Event

START = (Message(role="user", content="go"),)
LIST = call_of("code.list_dir")
LISTED = {"entries": [], "truncated": False}
PAGES = [call_of("router.web_search", query="a"), call_of("router.web_search", query="b")]


async def researcher(run: AgentRun) -> RunOutcome:
    """Search twice at the same time."""
    await run.turn(PAGES)
    return RunOutcome(value=FOUND)


async def watch(world: World, *, live: bool, children: bool = True, calls: Any = None) -> list[Event]:
    """Return the events that a subscriber to a run of `main` gets."""
    run = world.start()
    run_id = str(run.meta.run_id)
    events: list[Event] = []

    async def collect() -> None:
        events.extend([event async for event in subscribe(world.store, run_id, children=children)])

    watching = asyncio.create_task(collect()) if live else None
    planner = ScriptedPlanner(calls or [search(), LIST])
    await run_agent(world.runtime, "main", START, planner, run=run)
    await in_time(watching or collect())
    assert asyncio.all_tasks() == {asyncio.current_task()}
    return events


def assert_ordered(world: World, events: list[Event]) -> None:
    """Check that every event of every run is there once, in order, and within the call that started its run."""
    runs = {event.run_id for event in events}
    for run_id in runs:
        assert [event for event in events if event.run_id == run_id] == world.events(run_id)
    for started in events:
        if started.kind == "agent_run_started":
            own = [place for place, event in enumerate(events) if event.run_id == started.data["run_id"]]
            (ended,) = [
                place
                for place, event in enumerate(events)
                if (event.run_id, event.tool_call_id) == (started.run_id, started.tool_call_id)
                and event.kind in ("tool_completed", "tool_failed")
            ]
            assert all(events.index(started) < place < ended for place in own)


@pytest.mark.parametrize("live", [True, False], ids=["live", "afterwards"])
def test_the_events_of_children_are_within_the_calls_that_started_them(live: bool) -> None:
    """Two children side by side, and a call after them."""
    world = World(researcher)
    events = asyncio.run(watch(world, live=live, calls=[search(), search(), LIST]))
    assert len({event.run_id for event in events}) == 3
    assert events[-1].kind == "run_ended"
    assert_ordered(world, events)


@pytest.mark.parametrize("live", [True, False], ids=["live", "afterwards"])
def test_the_children_of_children_are_followed(live: bool) -> None:
    async def delegates(run: AgentRun) -> RunOutcome:
        if run.run.agent == "default_sub":
            await run.turn([search()])
            return RunOutcome(value="done")
        return await researcher(run)

    world = World(delegates)
    events = asyncio.run(watch(world, live=live, calls=[call_of(DELEGATE, to="default_sub", request="go")]))
    assert len({event.run_id for event in events}) == 3
    assert_ordered(world, events)


def test_without_children_only_the_run_is_followed() -> None:
    world = World(researcher, tools={"code.list_dir": lambda _args, _meta: LISTED})
    events = asyncio.run(watch(world, live=True, children=False))
    assert {event.run_id for event in events} == {events[0].run_id}
    assert [event.kind for event in events] == [
        "tool_started", "agent_run_started", "agent_run_ended", "tool_completed",
        "tool_started", "tool_completed", "run_ended",
    ]  # fmt: skip


def test_one_child_can_be_followed() -> None:
    world = World(researcher)
    every = asyncio.run(watch(world, live=False))
    (child,) = {event.data["run_id"] for event in every if event.kind == "agent_run_started"}

    async def follow() -> list[Event]:
        return [event async for event in subscribe(world.store, child)]

    assert asyncio.run(in_time(follow())) == world.events(child)


def test_a_child_without_a_record_is_no_error() -> None:
    def starts(_args: Any, meta: Any) -> Any:
        start_child(meta, "default_sub")
        return "started"

    world = World(researcher, tools={DELEGATE: starts})
    events = asyncio.run(watch(world, live=False, calls=[call_of(DELEGATE, to="default_sub", request="go")]))
    assert [event.kind for event in events] == ["tool_started", "agent_run_started", "tool_completed", "run_ended"]


def test_the_calls_of_a_child_whose_end_is_not_linked_are_before_the_end_of_its_call() -> None:
    """A handler may start a run and make its calls without `run_to_end`."""

    async def starts(_args: Any, meta: Any) -> Any:
        return ToolResult(value=str(len(await start_child(meta, "default_sub").turn(PAGES))))

    world = World(researcher, tools={DELEGATE: starts})
    events = asyncio.run(watch(world, live=False, calls=[call_of(DELEGATE, to="default_sub", request="go")]))
    assert len({event.run_id for event in events}) == 2
    assert_ordered(world, events)


def test_a_store_that_cannot_be_read_ends_the_subscription() -> None:
    class Unreadable(MemoryStore):
        async def follow(self, run_id: str, /, after: int = -1) -> AsyncIterator[Event]:
            for event in (await self.read(run_id)).events[:1]:
                yield event
            raise StoreError("the store cannot be read")

    store = Unreadable()
    world = World(researcher, store=store)
    world.store = store
    with pytest.raises(StoreError, match="cannot be read"):
        asyncio.run(watch(world, live=False))


def test_a_subscriber_that_leaves_stops_following() -> None:
    world = World(researcher)

    async def leave() -> None:
        run = world.start()
        await run_agent(world.runtime, "main", START, ScriptedPlanner([search()]), run=run)
        events = subscribe(world.store, str(run.meta.run_id))
        kinds = [(await anext(events)).kind for _ in range(3)]
        await events.aclose()
        assert kinds[:2] == ["tool_started", "agent_run_started"]
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(in_time(leave()))


def test_a_run_in_a_file_is_followed_too(tmp_path: Path) -> None:
    async def main() -> tuple[list[Event], World]:
        store = SqliteStore(tmp_path / "runs.db", poll=0.01)
        world = World(researcher, store=store)
        world.store = store  # type: ignore[assignment]  # another class of store
        events = await watch(world, live=True)
        await store.close()
        return events, world

    events, world = asyncio.run(main())
    assert_ordered(world, events)
    assert len({event.run_id for event in events}) == 2


class FollowedStore(MemoryStore):
    """Counts those who follow a run."""

    following = 0

    async def follow(self, run_id: str, /, after: int = -1) -> AsyncIterator[Event]:
        self.following += 1
        try:
            async for event in super().follow(run_id, after):
                yield event
        finally:
            self.following -= 1


CHILD = {"run_id": "r1.c", "agent": "a"}
ATTEMPT = ["tool_started", "agent_run_started", "child", "agent_run_ended", "tool_failed"]


@given(st.lists(st.integers(1, len(ATTEMPT)), max_size=4))
@example([3])
def test_a_call_that_is_made_again_leaves_no_follower_behind(cut_off_after: list[int]) -> None:
    """Each attempt is cut off after so many of its events, as by a crash, or by its end; the last one is whole."""

    async def body() -> None:
        store = FollowedStore()
        for length in [*cut_off_after, len(ATTEMPT)]:
            for kind in ATTEMPT[:length]:
                if kind == "child":
                    store.append(NewEvent("tool_started", "r1.c", "t.x", "c"))
                else:
                    data = CHILD if kind.startswith("agent_run") else {}
                    store.append(NewEvent(kind, "r1", "t.agent", "c1", data))
        store.append(NewEvent("run_ended", "r1", data={"end_reason": "completed"}))
        seen = [event async for event in subscribe(store, "r1")]
        for run_id in ("r1", "r1.c"):
            assert [each for each in seen if each.run_id == run_id] == [*(await store.read(run_id)).events]
        assert store.following == 0
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(body())
