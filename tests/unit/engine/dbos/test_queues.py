"""Runs that wait, for agents or for a person, hold up no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.engine.app import read, request, search, write
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from tests.unit.engine.engines import Engines, Running

ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)


def test_a_worker_of_one_run_executes_the_agents_that_it_waits_for(durable: Engines) -> None:
    async def body(running: Running) -> None:
        for number in range(3):
            await running.engine.start(request([search(), search()], run_id=f"r{number}"))
        for number in range(3):
            assert (await running.engine.result(f"r{number}", 30)).stopped == "completed"

    durable.run(body, worker={"concurrency": 1})


def test_runs_that_wait_for_a_person_hold_no_place(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        for number in range(5):
            await engine.start(request([write(f"w{number}")], run_id=f"w{number}"))
            await running.questions(f"w{number}")
        await engine.start(request([read("a")], run_id="r"))
        assert (await engine.result("r", 30)).stopped == "completed"
        for number in range(5):
            (asked,) = await engine.approvals(f"w{number}")
            await engine.decide(asked.run_id, asked.id, ALLOW, by="ann")
            assert (await engine.result(f"w{number}", 30)).stopped == "completed"

    durable.run(body, worker={"concurrency": 1})


def test_a_bound_of_runs_holds_for_those_that_work(durable: Engines) -> None:
    async def body(running: Running) -> None:
        seen = 0
        for number in range(4):
            await running.engine.start(request([read("slow-0.3")], run_id=f"r{number}"))
        for number in range(4):
            await running.engine.result(f"r{number}", 30)
            seen = max(seen, running.host.at_a_time)
        assert seen <= 2

    durable.run(body, worker={"concurrency": 2})
