"""Limits per user hold for calls of durable runs: a call counts once, however often an engine attempts it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.engine.app import read, request, write
from tests.unit.engine.engines import ALLOW, until
from toolgen.agents import Message
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.engine import RunRequest
from toolgen.engine.calls import call_by_engine
from toolgen.runtime.policy.rate_limits import MemoryCounters
from toolgen.runtime.policy.rate_limits.sqlite import SqliteCounters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.unit.engine.engines import Engines, Running
    from toolgen.engine import RunEnd

LIMITS = [{"cooldown_seconds": 3600}, {"daily_limit": 1}, {"cooldown_seconds": 3600, "daily_limit": 1}]


def limited(limits: Mapping[str, Any], counters: Any = None) -> dict[str, Any]:
    """Return the settings of an engine whose tools that read and write have limits; its clock stands still."""
    return {
        "changed": {ident: {"limits": limits} for ident in ("code.read_file", "code.write_file")},
        "counters": MemoryCounters() if counters is None else counters,
        "clock": lambda: datetime(2026, 3, 1, 12, tzinfo=UTC),
    }


def refused(end: RunEnd) -> list[bool]:
    """Return for each call of a run, in order, whether a limit refused it. None failed for another reason."""
    contents = [message.content for message in end.messages if message.role == "tool" and message.is_error]
    assert all("rate limit exceeded" in content for content in contents), contents
    return [message.is_error for message in end.messages if message.role == "tool"]


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_a_failed_call_that_the_engine_repeats_counts_once(engines: Engines, limits: dict[str, Any]) -> None:
    async def body(running: Running) -> None:
        await running.engine.start(request([read("flaky")], [read("other")], user="ann", run_id="r1"))
        assert refused(await running.engine.result("r1", 60)) == [False, True]
        assert running.marks() == ["flaky", "flaky"]

    engines.run(body, **limited(limits))


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_a_call_that_waits_for_signals_counts_once(engines: Engines, limits: dict[str, Any]) -> None:
    async def body(running: Running) -> None:
        await running.engine.start(request([read("waits-go-60")], [read("other")], user="ann", run_id="r1"))
        await running.engine.signal("r1", "go", 1, by="ann")
        assert refused(await running.engine.result("r1", 60)) == [False, True]

    engines.run(body, **limited(limits))


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_a_call_that_was_cancelled_and_goes_on_counts_once(engines: Engines, limits: dict[str, Any]) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([write("until-resumed")], [write("other")], user="ann", run_id="r1"))
        (asked,) = await running.questions("r1")
        await engine.decide("r1", asked.id, ALLOW, by="ann")
        await until(running.marks)
        await engine.cancel("r1")
        (running.folder / "resumed").touch()
        await engine.resume("r1")
        assert refused(await engine.result("r1", 60)) == [False, True]
        assert running.marks("path", "effects") == ["until-resumed"]

    engines.run(body, **limited(limits))


def test_a_call_that_another_worker_makes_again_counts_once(durable: Engines) -> None:
    """The counters are in a file, as the workers are not one process."""

    def counters() -> SqliteCounters:
        return SqliteCounters(durable.folder / "limits.db", timeout=60)

    async def body() -> None:
        async with asyncio.timeout(100):
            async with counters() as kept, durable.opened(**limited({"daily_limit": 1}, kept)) as running:
                await running.engine.start(request([write("until-later")], [write("b")], user="ann", run_id="r1"))
                (asked,) = await running.questions("r1")
                await running.engine.decide("r1", asked.id, ALLOW, by="ann")
                await until(running.marks)
            (durable.folder / "later").touch()
            async with counters() as kept, durable.opened(**limited({"daily_limit": 1}, kept)) as running:
                assert refused(await running.engine.result("r1", 60)) == [False, True]
                assert running.marks() == ["until-later"] * 2

    asyncio.run(body())


def test_each_call_of_a_run_counts_whatever_id_a_model_gives_it(engines: Engines) -> None:
    calls = [ToolRequest(name="code.read_file", payload='{"path": "a"}', tool_call_id=key) for key in ("c", "c", "")]

    async def body(running: Running) -> None:
        planned = (Message(role="assistant", calls=tuple(calls)),)
        await running.engine.start(RunRequest(agent="main", messages=planned, planner="", user="ann", run_id="r1"))
        assert sorted(refused(await running.engine.result("r1", 60))) == [False, True, True]

    engines.run(body, **limited({"daily_limit": 1}))


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_a_client_that_repeats_a_key_evades_no_limit(engines: Engines, limits: dict[str, Any]) -> None:
    """A key is that of one call as long as its run is kept; after that the call is another one, and counts."""

    async def called(running: Running, key: str) -> str:
        meta = ToolCallMeta(user="ann", idempotency_key=key)
        asked = ToolRequest(name="code.read_file", payload='{"path": "a"}', tool_call_id=key)
        result = await call_by_engine(running.engine, asked, meta)
        return result.error.code if result.error else "ok"

    async def body(running: Running) -> None:
        assert [await called(running, key) for key in ("k", "k", "other")] == ["ok", "ok", "rate_limited"]
        await asyncio.sleep(1.01)  # ends of runs are kept in seconds
        assert (await running.engine.prune(0)).runs == 2
        assert [await called(running, key) for key in ("k", "other")] == ["rate_limited"] * 2
        assert running.marks() == ["a"]

    engines.run(body, **limited(limits))


def test_a_fork_counts_the_calls_that_it_makes_anew(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([read("a")], user="ann", run_id="r1"))
        assert refused(await engine.result("r1", 60)) == [False]
        (call,) = [step.number for step in await engine.timeline("r1") if step.name.startswith(("call", "code"))]
        assert refused(await engine.result(await engine.fork("r1", call), 60)) == [True]

    engines.run(body, **limited({"daily_limit": 1}))
