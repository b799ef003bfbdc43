"""Timeouts of calls: what they stop and what not, and that they leave nothing behind."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from tests.unit.runtime.tools import call, call_now, catalog_of, code_of, runtime_of
from toolgen.contract.records import FailureKind
from toolgen.runtime import blocking
from toolgen.runtime.base.errors import TimedOut
from toolgen.runtime.calls.deadlines import within
from toolgen.runtime.policy import policy

SOON = {"limits": {"timeout_ms": 20}}


async def forever(_args: Any) -> None:
    await asyncio.sleep(3600)


def timers() -> list[Any]:
    """Return the active timers of the running loop."""
    scheduled: list[asyncio.TimerHandle] = vars(asyncio.get_running_loop())["_scheduled"]
    return [timer for timer in scheduled if not timer.cancelled()]


def test_a_call_that_takes_too_long_is_cancelled() -> None:
    ended: list[str] = []

    async def slow(_args: Any) -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append("cancelled")

    result = call_now(runtime_of(catalog_of(slow, metadata=SOON)))
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.TIMEOUT, "timeout")
    assert result.error.message == "the tool timed out after 0.02 s"
    assert ended == ["cancelled"]


def test_a_blocking_handler_is_abandoned_at_its_timeout() -> None:
    @blocking
    def sleepy(_args: Any) -> None:
        time.sleep(0.2)

    assert code_of(call_now(runtime_of(catalog_of(sleepy, metadata=SOON)))) == "timeout"


def test_a_sync_handler_runs_to_its_end() -> None:
    def sleepy(_args: Any) -> str:
        time.sleep(0.05)
        return "late"

    assert call_now(runtime_of(catalog_of(sleepy, metadata=SOON))).value == "late"


def test_reg_63_a_policy_limits_the_timeout_of_calls() -> None:
    runtime = runtime_of(catalog_of(forever, metadata={"limits": {"timeout_ms": 3_600_000}}))
    vars(runtime)["_host"].policies.max_timeout_ms = 20
    assert code_of(call_now(runtime)) == "timeout"
    runtime = runtime_of(catalog_of(forever))
    vars(runtime)["_host"].policies.timeout_ms = 20
    assert code_of(call_now(runtime)) == "timeout"


@pytest.mark.parametrize(("tags", "code"), [(frozenset[str](), "timeout"), (frozenset({"agent"}), "ok")])
def test_the_default_timeout_is_not_that_of_agents(
    monkeypatch: pytest.MonkeyPatch, tags: frozenset[str], code: str
) -> None:
    async def handler(_args: Any) -> str:
        await asyncio.sleep(0.3)
        return "done"

    monkeypatch.setattr(policy, "TIMEOUT_MS", 20)
    assert code_of(call_now(runtime_of(catalog_of(handler, tags=tags)))) == code


def test_many_calls_each_end_at_their_own_timeout() -> None:
    async def all_of_them() -> list[float]:
        loop = asyncio.get_running_loop()
        start = loop.time()

        async def one(seconds: float) -> float:
            with pytest.raises(TimedOut):
                await within(seconds, asyncio.sleep(3600))
            return loop.time() - start - seconds

        late = await asyncio.gather(*(one(seconds / 100) for seconds in (9, 3, 1, 6, 3, 2) for _ in range(20)))
        assert timers() == []
        return late

    assert min(asyncio.run(all_of_them())) >= 0, "none ends early"


def test_calls_that_end_in_time_leave_no_timers() -> None:
    async def all_of_them() -> None:
        for _ in range(100):
            assert await within(60, asyncio.sleep(0, "done")) == "done"
        assert timers() == []

    asyncio.run(all_of_them())


def test_a_cancelled_caller_gets_no_timeout() -> None:
    async def whole() -> None:
        waiting = asyncio.ensure_future(within(60, asyncio.sleep(3600)))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert timers() == []

    asyncio.run(whole())


def test_a_timeout_of_the_caller_passes_through() -> None:
    async def whole() -> None:
        runtime = runtime_of(catalog_of(forever, metadata={"limits": {"timeout_ms": 60_000}}))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await call(runtime)

    asyncio.run(whole())


def test_deadlines_can_be_nested() -> None:
    async def whole() -> str:
        async def inner() -> str:
            try:
                await within(0.01, asyncio.sleep(3600))
            except TimedOut:
                return await asyncio.sleep(0.01, "recovered")
            raise AssertionError

        result: str = await within(60, inner())
        return result

    assert asyncio.run(whole()) == "recovered"
