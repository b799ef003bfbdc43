"""TEL-25: the timeout of the eval gate, on a loop with virtual time."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.properties.sessions.virtual_time import run as run_in_virtual_time
from tests.unit.llm.tags.bot import ANN, registry, tool
from tests.unit.runtime.tools import call, catalog_of, runtime_of
from toolgen.runtime.calls.call import GateDecision

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.llm.tags import ToolContext, ToolDef
    from toolgen.runtime.calls.call import CheckedCall

GATED = {"gate": True, "cost": "cheap"}


@pytest.mark.parametrize("is_first", [True, False])
def test_tel_25_a_gate_has_a_timeout_of_two_seconds(caplog: pytest.LogCaptureFixture, is_first: bool) -> None:
    took: list[float] = []

    async def gate(_request: CheckedCall) -> GateDecision:
        await asyncio.sleep(1.9 if is_first else 2.1)
        return GateDecision(approved=False, reason="in time")

    async def check() -> ToolResult[Any]:
        loop = asyncio.get_running_loop()
        start = loop.time()
        result = await call(runtime_of(catalog_of(metadata=GATED), gate=gate))
        took.append(loop.time() - start)
        return result

    result = run_in_virtual_time(check())
    assert result.success is not is_first
    assert took == [pytest.approx(1.9 if is_first else 2.0, abs=0.05)]
    assert len(caplog.records) == (0 if is_first else 1)


@pytest.mark.parametrize("is_stubborn", [False, True])
def test_tel_25_a_gate_that_takes_too_long_is_cancelled_and_the_call_runs(
    caplog: pytest.LogCaptureFixture, is_stubborn: bool
) -> None:
    seen: list[str] = []

    class Gate:
        async def check(self, _tool: ToolDef, _ctx: ToolContext, /) -> GateDecision:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                seen.append("cancelled")
                if not is_stubborn:
                    raise
                await asyncio.sleep(7)
            return GateDecision(approved=False)

    async def check() -> None:
        loop = asyncio.get_running_loop()
        result = await registry(tool("claim", requires_gate=True), gate=Gate()).execute(
            "claim", replace(ANN, raw_arg="tides")
        )
        assert result.success
        assert loop.time() == pytest.approx(2, abs=0.1)
        await asyncio.sleep(0)
        assert seen == ["cancelled"]  # by the registry, while the loop continues
        await asyncio.sleep(10)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run_in_virtual_time(check())
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
