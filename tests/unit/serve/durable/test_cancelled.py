"""Calls that a client gives up, in any of their first moments: their runs are cancelled too."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.engine.engines import durable, prepared_postgres, prepared_url, until
from toolgen.serve import durable as module

if TYPE_CHECKING:
    from tests.unit.engine.engines import Engines, Running

__all__ = ["durable", "prepared_postgres", "prepared_url"]


def test_a_call_that_is_given_up_at_once_goes_on_nowhere(durable: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    for capability in ("has_tasks", "can_ask", "is_modern"):
        monkeypatch.setattr(module, capability, lambda _ctx: False)

    async def body(running: Running) -> None:
        engine: Any = running.engine
        run: Any = SimpleNamespace(meta=SimpleNamespace(user="ann", attributes={}), agent="main", mode="", role="")
        calls = module.DurableCalls(engine, run, None)  # type: ignore[arg-type]  # no task of a client is asked for
        tool: Any = SimpleNamespace(ident="code.read_file")
        for number in range(20):
            params: Any = SimpleNamespace(
                request_state=None, meta=None, arguments={"path": f"slow-9.{number}"}, input_responses=None
            )
            ctx: Any = SimpleNamespace(meta=None)
            call = asyncio.create_task(calls.call(ctx, params, tool))
            await asyncio.sleep(number * 0.0015)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
        await until(engine.runs, lambda runs: {run.state for run in runs} <= {"cancelled"})

    durable.run(body)
