"""Runs that wait, for agents or for a person, hold up no others, and users share the queue."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.engine.app import read, request, search, write
from tests.unit.engine.engines import until
from toolgen.engine.dbos import DbosEngine
from toolgen.engine.dbos.turns import Turns
from toolgen.runtime.policy.permission import Decision, PermissionDecision

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
