"""The eval gate: which calls it checks, the effect of a refusal, and that it fails open."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.tools import call, call_now, catalog_of, code_of, must_not_run, runtime_of
from toolgen.contract.records import FailureKind
from toolgen.runtime import deny_all
from toolgen.runtime.calls.call import GateDecision

if TYPE_CHECKING:
    from toolgen.runtime.calls.call import CheckedCall

GATED = {"gate": True, "cost": "cheap"}


def test_tel_21_only_tools_that_require_it_are_gated() -> None:
    asked: list[CheckedCall] = []

    def gate(request: CheckedCall) -> GateDecision:
        asked.append(request)
        return GateDecision(approved=True)

    assert code_of(call_now(runtime_of(catalog_of(), gate=gate))) == "ok"
    assert asked == []
    assert code_of(call_now(runtime_of(catalog_of(metadata=GATED), gate=gate), payload='{"b": 1, "a": 2}')) == "ok"
    assert len(asked) == 1


def test_tel_22_the_gate_receives_the_complete_definition() -> None:
    async def gate(request: CheckedCall) -> GateDecision:
        assert (request.tool.name, request.tool.metadata["cost"]) == ("own.tool", "cheap")
        assert (request.arguments, request.meta.user) == (b'{"a":2,"b":1}', "ann")
        return GateDecision(approved=False, reason="seen")

    result = call_now(runtime_of(catalog_of(metadata=GATED), gate=gate), payload='{"b": 1, "a": 2}')
    assert result.error is not None
    assert result.error.message == "seen"


def test_tel_23_a_call_refused_by_the_gate_does_not_run() -> None:
    def gate(_request: CheckedCall) -> GateDecision:
        return GateDecision(approved=False, reason="not worth it")

    result = call_now(runtime_of(catalog_of(must_not_run, metadata=GATED), gate=gate))
    assert result.error is not None
    assert not result.success
    assert (result.error.kind, result.error.code) == (FailureKind.PERMISSION_DENIED, "gate_refused")
    assert result.error.message == "not worth it"


def test_tel_24_a_failing_gate_lets_the_call_run(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_request: CheckedCall) -> GateDecision:
        raise KeyError("x")

    async def broken_later(_request: CheckedCall) -> GateDecision:
        raise KeyError("x")

    def of_no_kind(_request: CheckedCall) -> Any:
        return "yes"

    async def later_of_no_kind(_request: CheckedCall) -> Any:
        return SimpleNamespace(approved=True, reason="")

    for gate in (broken, broken_later, of_no_kind, later_of_no_kind):
        caplog.clear()
        assert call_now(runtime_of(catalog_of(metadata=GATED), gate=gate)).success
        assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_tel_25_a_gate_that_times_out_is_cancelled_and_the_call_runs(caplog: pytest.LogCaptureFixture) -> None:
    ended: list[str] = []

    async def gate(_request: CheckedCall) -> GateDecision:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return GateDecision(approved=False)

    async def check() -> None:
        before = asyncio.all_tasks()
        result = await call(runtime_of(catalog_of(metadata=GATED), gate=gate, gate_timeout=0.01))
        assert result.success
        # The loop continues: only the call may have cancelled the gate, and no task is left running.
        await asyncio.sleep(0)
        assert ended == ["cancelled"]
        assert asyncio.all_tasks() == before

    asyncio.run(check())
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_tel_25_a_gate_that_ignores_cancellation_does_not_delay_the_call(caplog: pytest.LogCaptureFixture) -> None:
    async def check() -> None:
        over = asyncio.Event()

        async def gate(_request: CheckedCall) -> GateDecision:
            while not over.is_set():
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(5)
            return GateDecision(approved=False)

        made = runtime_of(catalog_of(metadata=GATED), gate=gate, gate_timeout=0.01)
        result = await asyncio.wait_for(call(made), 5)
        assert result.success
        over.set()

    asyncio.run(check())
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_tel_24_a_gate_that_is_cancelled_lets_the_call_run(caplog: pytest.LogCaptureFixture) -> None:
    async def gate(_request: CheckedCall) -> GateDecision:
        raise asyncio.CancelledError

    assert call_now(runtime_of(catalog_of(metadata=GATED), gate=gate)).success
    assert [record.getMessage() for record in caplog.records] == ["the eval gate failed for own.tool; the call runs"]


def test_a_call_can_be_cancelled_while_its_gate_runs() -> None:
    async def check() -> None:
        thinking = asyncio.Event()

        async def gate(_request: CheckedCall) -> GateDecision:
            thinking.set()
            await asyncio.sleep(3600)
            raise AssertionError

        waiting = asyncio.create_task(call(runtime_of(catalog_of(must_not_run, metadata=GATED), gate=gate)))
        await thinking.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(check())


def test_tel_26_without_a_gate_nothing_is_gated() -> None:
    assert call_now(runtime_of(catalog_of(metadata=GATED))).success


def test_the_gate_cannot_override_a_denial() -> None:
    runtime = runtime_of(catalog_of(metadata=GATED), permission=deny_all, gate=pytest.fail)
    assert code_of(call_now(runtime)) == "permission_denied"
