"""Bounds and answers of a run hold whichever process executes it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.unit.engine.app import request, search, write
from tests.unit.engine.engines import until
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from tests.unit.engine.engines import Engines, Running
    from toolgen.engine import RunEnd

ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)
ALLOW_FOR_SESSION = PermissionDecision(decision=Decision.ALLOW_FOR_SESSION)
WAITS = search([("router.web_search", {"query": "x"})])
"""A call that starts an agent, which waits for a person."""


def refused(end: RunEnd) -> list[bool]:
    """Return for each call of a run, in order, whether there were too many agents."""
    return [
        "this run has started 4 agents, the maximum" in each.content for each in end.messages if each.role == "tool"
    ]


async def allow(running: Running, run_id: str, decision: PermissionDecision = ALLOW) -> None:
    (asked,) = await running.questions(run_id)
    await running.engine.decide(run_id, asked.id, decision, by="ann")


async def children_that_wait(running: Running) -> list[str]:
    """Wait until an agent asks a person, and return the ids of those that do."""
    engine: Any = running.engine
    waiting = await until(lambda: engine.runs(states=["waiting"]), lambda runs: any("." in run.run_id for run in runs))
    return [run.run_id for run in waiting]


def test_agents_of_a_run_are_counted_over_restarts(durable: Engines) -> None:
    async def body() -> None:
        async with asyncio.timeout(100):
            async with durable.opened() as running:
                turns = [search()] * 3, [write("a")], [search()] * 3
                await running.engine.start(request(*turns, run_id="r1"))
                await running.questions("r1")
            async with durable.opened() as running:
                await allow(running, "r1")
                end = await running.engine.result("r1", 300)
        before, after = refused(end)[:4], refused(end)[4:]
        assert (before, sorted(after)) == ([False] * 4, [False, True, True])  # the last three are made together

    asyncio.run(body())


def test_an_agent_counts_once_when_its_call_is_made_again(durable: Engines) -> None:
    """Three calls of a turn have ended, and a fourth is made again: there is none left for a fifth."""

    async def body() -> None:
        async with asyncio.timeout(100):
            async with durable.opened() as running:
                engine: Any = running.engine
                await engine.start(request([WAITS, *[search()] * 3], [search()], run_id="r1"))
                await children_that_wait(running)
                await until(lambda: engine.timeline("r1"), lambda steps: len(steps) == 4)  # a plan, and three calls
            async with durable.opened() as running:
                (child,) = await children_that_wait(running)
                await allow(running, child)
                end = await running.engine.result("r1", 300)
        assert refused(end) == [False] * 4 + [True]

    asyncio.run(body())


def test_an_answer_for_the_session_holds_in_its_run_after_a_restart(durable: Engines) -> None:
    async def body() -> None:
        async with asyncio.timeout(100):
            async with durable.opened() as running:
                await running.engine.start(request([write("a")], [WAITS], [write("a")], run_id="r1"))
                await allow(running, "r1", ALLOW_FOR_SESSION)
                (child,) = await children_that_wait(running)
            async with durable.opened() as running:
                await allow(running, child)
                assert (await running.engine.result("r1", 300)).stopped == "completed"
                assert running.marks() == ["a", "x", "a"]
                other = await running.engine.start(request([write("a")]))
                await running.questions(other)

    asyncio.run(body())
