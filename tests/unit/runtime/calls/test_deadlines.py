"""Timeouts of calls: what they stop and what not, and that they leave nothing behind."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.tools import add, call, call_now, catalog_of, code_of, runtime_of
from toolgen.contract.records import FailureKind, ToolRequest
from toolgen.runtime import Catalog, blocking
from toolgen.runtime.base.effects import Effect, begin_effect
from toolgen.runtime.base.errors import TimedOut
from toolgen.runtime.calls.deadlines import within
from toolgen.runtime.catalog.execution import guarded
from toolgen.runtime.policy import policy

if TYPE_CHECKING:
    from collections.abc import Callable

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


def test_without_a_task_of_asyncio_a_tool_does_not_begin_what_it_cannot_end() -> None:
    """As in a program of trio: the call is driven by somebody else, who knows nothing of asyncio."""
    ran: list[bool] = []

    async def handler(_args: Any) -> None:
        ran.append(True)
        await asyncio.sleep(0)

    calling = runtime_of(catalog_of(handler)).invoke(ToolRequest(name="own.tool"))
    with pytest.raises(StopIteration) as ended:
        calling.send(None)
    error = ended.value.value.error
    assert (error.code, error.hint) == ("host_error", "the host is at fault, not the call")
    assert error.message.startswith("a tool that waits needs a task of asyncio")
    assert ran == []


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


@pytest.mark.parametrize(
    ("fields", "hint"),
    [
        ({}, Effect.POSSIBLE),
        ({"tags": frozenset({"idempotent"})}, "try again with less to do, or go on without it"),
        ({"permission": "readonly"}, "try again with less to do, or go on without it"),
    ],
)
def test_a_timeout_says_whether_the_call_may_have_taken_effect(fields: dict[str, Any], hint: str) -> None:
    @blocking
    def sleepy(_args: Any) -> None:
        time.sleep(0.1)

    for handler in (sleepy, forever):
        catalog = Catalog()
        catalog.declare_tag("idempotent")
        result = call_now(runtime_of(add(catalog, handler, "own.tool", metadata=SOON, **fields)))
        assert result.error is not None
        assert result.error.hint == hint


def ended_early(handler: Callable[[Any], Any], may_go_on: Event) -> str:
    """Return the hint for a call that timed out, after its thread went on to its end."""

    async def call_it() -> str:
        result = await call(runtime_of(catalog_of(handler, metadata=SOON)))
        may_go_on.set()
        assert result.error is not None
        return result.error.hint

    return asyncio.run(call_it())


def test_a_guarded_handler_has_no_effect_after_its_call_has_ended() -> None:
    may_go_on, written = Event(), list[str]()

    @guarded
    def write(_args: Any) -> None:
        assert may_go_on.wait(60)
        begin_effect()
        written.append("late")

    hint = ended_early(write, may_go_on)
    assert (hint, written) == ("nothing was changed: try again with less to do, or go on without it", [])


def test_a_guarded_handler_that_has_begun_its_effect_is_reported() -> None:
    may_go_on, written = Event(), list[str]()

    @guarded
    def write(_args: Any) -> None:
        begin_effect()
        assert may_go_on.wait(60)
        written.append("late")

    assert (ended_early(write, may_go_on), written) == (Effect.POSSIBLE, ["late"])


def test_a_call_that_ends_before_a_thread_is_free_has_no_effect() -> None:
    may_go_on, written = Event(), list[str]()

    @blocking
    def write(_args: Any) -> None:
        written.append("late")

    async def call_it() -> str:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        busy = loop.run_in_executor(None, may_go_on.wait, 60)
        result = await call(runtime_of(catalog_of(write, metadata=SOON)))
        may_go_on.set()
        await busy
        assert result.error is not None
        return result.error.hint

    hint = asyncio.run(call_it())
    assert (hint, written) == ("nothing was changed: try again with less to do, or go on without it", [])


def test_an_abort_says_whether_the_call_may_have_taken_effect() -> None:
    may_go_on, begun = Event(), Event()

    async def abort(handler: Callable[[Any], Any]) -> str:
        runtime = runtime_of(catalog_of(handler))
        run = runtime.start_run()
        waiting = asyncio.ensure_future(call(runtime, run=run))
        assert await asyncio.to_thread(begun.wait, 60)
        run.abort()
        result = await waiting
        may_go_on.set()
        assert result.error is not None
        return result.error.hint

    def wait(_args: Any) -> None:
        begun.set()
        assert may_go_on.wait(60)
        begin_effect()

    assert asyncio.run(abort(guarded(wait))) == f"the user stopped the run; {Effect.NONE}"
    may_go_on.clear()
    begun.clear()
    assert asyncio.run(abort(blocking(lambda args: wait(args)))) == f"the user stopped the run; {Effect.POSSIBLE}"
