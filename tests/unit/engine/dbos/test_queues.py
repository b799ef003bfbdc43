"""Runs that wait, for agents or for a person, hold up no others, and users share the queue."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.engine.app import built_in, read, request, search, write
from tests.unit.engine.engines import until
from toolgen.engine.dbos import DbosEngine
from toolgen.engine.dbos.executions import DbosCaller, Execution
from toolgen.engine.dbos.turns import Turns
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.toolsets.agent.agents import AgentTools

if TYPE_CHECKING:
    from tests.unit.engine.engines import Engines, Running

ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)


def test_a_worker_of_one_run_executes_the_agents_that_it_waits_for(durable: Engines) -> None:
    async def body(running: Running) -> None:
        for number in range(3):
            await running.engine.start(request([search(), search()], run_id=f"r{number}"))
        for number in range(3):
            assert (await running.engine.result(f"r{number}", 300)).stopped == "completed"

    durable.run(body, worker={"concurrency": 1})


def test_runs_that_wait_for_a_person_hold_no_place(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        for number in range(5):
            await engine.start(request([write(f"w{number}")], run_id=f"w{number}"))
            await running.questions(f"w{number}")
        await engine.start(request([read("a")], run_id="r"))
        assert (await engine.result("r", 300)).stopped == "completed"
        for number in range(5):
            (asked,) = await engine.approvals(f"w{number}")
            await engine.decide(asked.run_id, asked.id, ALLOW, by="ann")
            assert (await engine.result(f"w{number}", 300)).stopped == "completed"

    durable.run(body, worker={"concurrency": 1})


def test_a_bound_of_runs_holds_for_those_that_work(durable: Engines) -> None:
    async def body(running: Running) -> None:
        seen = 0
        for number in range(4):
            await running.engine.start(request([read("slow-0.3")], run_id=f"r{number}"))
        for number in range(4):
            await running.engine.result(f"r{number}", 300)
            seen = max(seen, running.host.at_a_time)
        assert seen <= 2

    durable.run(body, worker={"concurrency": 2})


def test_users_whose_runs_wait_are_served_in_turn(durable: Engines) -> None:
    """Two servers enqueue: one user's many runs, at once, come before those of the others."""
    durable.prepare()
    started: list[str] = []

    async def enqueue() -> None:
        engines = [DbosEngine(durable.url) for _ in range(2)]
        for user, count in (("ann", 20), ("bob", 3), (None, 1)):
            runs = [request([read(f"{user}-{number}")], user=user) for number in range(count)]
            started.extend(await asyncio.gather(*(engines[each % 2].start(run) for each, run in enumerate(runs))))
        for engine in engines:
            await engine.close()

    async def body(running: Running) -> None:
        for run_id in started:
            await running.engine.result(run_id, 300)
        users = [path.partition("-")[0] for path in running.marks()]
        assert Counter(users) == {"ann": 20, "bob": 3, "None": 1}
        others = [place for place, user in enumerate(users) if user != "ann"]
        assert others[:2] <= [3, 3]  # one run of ann for each server that enqueues hers
        assert others[-1] <= 10

    asyncio.run(enqueue())
    durable.run(body, worker={"concurrency": 1})


def test_runs_beyond_the_bound_of_their_user_hold_no_place(durable: Engines) -> None:
    async def body(running: Running) -> None:
        first = [await running.engine.start(request([read("slow-60")], user="ann")) for _ in range(6)]
        await running.engine.result(await running.engine.start(request([read("a")], user="bob")), 30)
        await until(lambda: len(running.marks()) >= 2)
        assert Counter(running.marks()) == {"slow-60": 1, "a": 1}
        for run_id in reversed(first):  # the end of the first gives its place to another
            await running.engine.cancel(run_id)

    durable.run(body, worker={"concurrency": 2, "per_user": 1})


BUILT_IN = ["create_sub_agent", "fork_agent", "dispatch_worker"]
STARTING = [search(), *(built_in(name, [read("a")]) for name in BUILT_IN)]
"""A call of each tool that starts an agent; those of built-in tools make a call themselves."""


@pytest.mark.parametrize("bound", [{"per_user": 1}, {"per_tool": {"code.read_file": 1}}, {"concurrency": 1}])
def test_calls_that_wait_for_agents_take_no_place_of_a_bound(bound: dict[str, Any], durable: Engines) -> None:
    async def body(running: Running) -> None:
        for number, call in enumerate(STARTING):
            await running.engine.start(request([call, call], run_id=f"r{number}", user="ann"))
        for number in range(len(STARTING)):
            end = await running.engine.result(f"r{number}", 300)
            assert [message.is_error for message in end.messages if message.role == "tool"] == [False, False]
        assert running.marks() == ["a"] * 2 * len(BUILT_IN)

    durable.run(body, worker=bound, disabled_policies=["bot"])


def test_a_call_that_waits_for_several_agents_holds_no_place(durable: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    create = AgentTools.create_sub_agent

    async def twice(tools: AgentTools, *args: Any) -> Any:
        return (await asyncio.gather(create(tools, *args), create(tools, *args)))[0]

    monkeypatch.setattr(AgentTools, "create_sub_agent", twice)

    async def body(running: Running) -> None:
        await running.engine.start(request([built_in("create_sub_agent", [read("a")])], run_id="r1"))
        assert (await running.engine.result("r1", 300)).stopped == "completed"
        assert running.marks() == ["a", "a"]

    durable.run(body, worker={"concurrency": 1}, disabled_policies=["bot"])


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), max_size=30))
def test_an_execution_waits_while_each_of_its_calls_waits_for_agents(steps: list[tuple[int, bool]]) -> None:
    execution: Any = Execution(None)  # type: ignore[arg-type]  # it is not cancelled here
    none: Any = None
    calls = [DbosCaller(execution, none, none, none) for _ in range(3)]
    waits: list[list[ExitStack]] = [[], [], []]
    with ExitStack() as doing:
        for _ in calls:
            doing.enter_context(execution.doing())
        for place, begins in steps:
            if begins:
                waits[place].append(ExitStack())
                waits[place][-1].enter_context(calls[place].waiting())
            elif waits[place]:
                waits[place].pop(0).close()
            assert [call.is_waiting for call in calls] == [bool(each) for each in waits]
            assert execution.is_waiting == all(waits)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["ann", "bob", "cy", ""]), max_size=80))
def test_in_each_round_one_run_of_each_user_is_served(steps: list[str]) -> None:
    """The empty step serves the first run; each other one adds one of a user."""
    queue: list[tuple[int, int, str]] = []
    ahead: dict[int, Counter[str]] = {}
    turns = Turns()
    for number, user in enumerate([*steps, *[""] * len(steps)]):
        if user:
            own = [turn for turn, _, of in queue if of == user]
            with turns.starting(user) as mine:
                turn = mine.next(min(queue)[0] if queue else 0, max(own, default=0))
            assert turn > max(own, default=0), "runs of one user are served as they come"
            queue.append((turn, number, user))
            ahead[number] = Counter({user: len(own)})
        elif queue:
            first = min(queue)
            queue.remove(first)
            for _, each, of in queue:
                if of != first[2]:
                    ahead[each][first[2]] += 1
                    own_rounds = ahead[each][of] + 1
                    assert ahead[each][first[2]] <= own_rounds + 1, "and what is left of the round before"
