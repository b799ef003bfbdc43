"""What the steps of a run cost without an engine: `python -m benchmarks.measured.durable_steps REPEATS`.

It prints microseconds: of one call by `Runtime.invoke` in a run, of the activities `call` and `plan` that an engine
executes (the plan after four turns of five), and of a step of a run in memory, by `LocalEngine`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from benchmarks.measured.cases import ARGS, TOOL
from benchmarks.measured.durable_runs import STEPS, TURNS, host, run_request
from toolgen.engine import LocalEngine

if TYPE_CHECKING:
    from toolgen.engine.protocol import Activity
    from toolgen.engine.requests import Json


class Recording:
    """Executes the activities of a run, and keeps those of the last turn that has a call. Implements `Activities`."""

    def __init__(self) -> None:
        self.host = host()
        self.activities: dict[str, Activity] = {}

    async def observe(self, request: Any, body: Awaitable[Json], /) -> Json:
        return await self.host.observe(request, body)

    async def execute(self, request: Any, activity: Activity, /) -> Json:
        outcome = await self.host.execute(request, activity)
        if "outcome" not in outcome:
            self.activities[activity.name] = activity
        return outcome

    async def ended(self, request: Any, reason: str, /) -> None:
        await self.host.ended(request, reason)

    def forget(self, run_id: str, reason: str, /) -> None:
        self.host.forget(run_id, reason)


async def measure(repeats: int) -> dict[str, float]:
    from toolgen.runtime import ToolRequest

    recording = Recording()
    engine = LocalEngine(cast("Any", recording))  # it has what a run asks a host for
    await engine.result(await engine.start(run_request("recorded")))
    request = run_request("measured")
    executing, runtime = recording.host, recording.host.runtime
    run = runtime.start_run("", meta=request.meta)
    called = ToolRequest(name=TOOL, payload=ARGS.decode(), tool_call_id="c1")
    local = LocalEngine(executing)

    async def run_locally() -> None:
        started = run_request(f"run-{perf_counter()}")
        end = await local.result(await local.start(started))
        assert end.turns == TURNS + 1, end

    return {
        "invoke": await _microseconds(lambda: runtime.invoke(called, run=run), repeats),
        "call": await _microseconds(lambda: executing.execute(request, recording.activities["call"]), repeats),
        "plan": await _microseconds(lambda: executing.execute(request, recording.activities["plan"]), repeats),
        "step_in_memory": await _microseconds(run_locally, max(1, repeats // STEPS)) / STEPS,
    }


async def _microseconds(action: Callable[[], Awaitable[object]], repeats: int) -> float:
    await action()
    start = perf_counter()
    for _ in range(repeats):
        await action()
    return round((perf_counter() - start) / repeats * 1e6, 1)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(int(sys.argv[1])))))
