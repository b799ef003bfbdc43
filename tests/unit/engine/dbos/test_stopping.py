"""A worker that is stopped amid its work: what it did is kept, no error is logged, and the process ends."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.engine import app
from tests.unit.engine.app import built_in, read, request, search
from tests.unit.engine.dbos.workers import Workers
from tests.unit.engine.engines import until
from toolgen.engine.dbos.executions import Execution

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.engine.engines import Engines, Running


def test_a_worker_that_is_stopped_amid_many_steps_logs_no_error(workers: Workers) -> None:
    calls = partial(app.rows, workers.folder, "SELECT path FROM attempts")

    async def body() -> None:
        async with workers.opened() as engine:
            first = workers.start()
            await until(lambda: "executes runs" in workers.said(first))
            ids = [await engine.start(request(*[[read("a")]] * 10, max_turns=11, answer=n)) for n in range(30)]
            await until(lambda: len(calls()) > 30)
            assert await asyncio.to_thread(workers.stop, first) == 0
            assert [line.partition(":")[0] for line in workers.said(first).splitlines()] == [
                f"worker {first} executes runs",
                f"worker {first} stops",
            ]
            assert len(calls()) < 300
            workers.start()
            ends = [await engine.result(run_id, 300) for run_id in ids]
            assert [(end.stopped, end.value) for end in ends] == [("completed", number) for number in range(30)]
            assert len(calls()) == 300

    asyncio.run(body())


@pytest.mark.parametrize("tool", ["", "create_sub_agent", "fork_agent"])
def test_a_worker_that_stops_waits_for_no_call_that_waits_for_an_agent(durable: Engines, tool: str) -> None:
    asks = [("router.web_search", {"query": "x"})]

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([built_in(tool, asks) if tool else search(asks)], run_id="r1"))
        await until(engine.asking)
        assert running.worker.activities_running == 0
        await running.worker.stop(grace=10_000)  # the test would end first
        assert running.worker.unfinished == []

    durable.run(body, disabled_policies=["bot"])


def test_a_worker_that_is_stopped_while_it_takes_runs_logs_no_error(workers: Workers) -> None:
    """What is taken from the queue is begun later, which DBOS cannot do after its threads are closed."""

    async def body() -> None:
        async with workers.opened() as engine:
            ids = [await engine.start(request([read("a")], answer=n)) for n in range(4)]
            first = workers.start("tests.unit.engine.dbos.slow_dispatch:host")
            await until((workers.folder / "taken").exists)
            assert await asyncio.to_thread(workers.stop, first) == 0
            assert [line.partition(":")[0] for line in workers.said(first).splitlines()] == [
                f"worker {first} executes runs",
                f"worker {first} stops",
            ]
            workers.start()
            ends = [await engine.result(run_id, 300) for run_id in ids]
            assert [(end.stopped, end.value) for end in ends] == [("completed", number) for number in range(4)]

    asyncio.run(body())


def test_a_worker_ends_whatever_its_tools_do(tmp_path: Path) -> None:
    """A thread that does not return, a call that ignores its cancellation, and one that blocks the event loop."""
    kinds = {
        "thread": " in sleep_long (stubborn.py:",
        "swallows": "call code.read_file 0.0 of r1",
        "blocks": "call code.read_file 0.0 of r1, MainThread in sleep_long (stubborn.py:",
    }

    async def body() -> None:
        stubborn: dict[str, Workers] = {}
        try:
            for kind in kinds:
                folder = tmp_path / kind
                folder.mkdir()
                workers = stubborn[kind] = Workers(str(folder / "runs.sqlite"), folder)
                workers.start("tests.unit.engine.dbos.stubborn:host", "--grace", "0.2")
                async with workers.opened() as engine:
                    await engine.start(request([read(kind)], run_id="r1"))
                    await until((folder / kind).exists)
            ended = [asyncio.to_thread(workers.stop, "w1") for workers in stubborn.values()]
            assert await asyncio.gather(*ended) == [1, 1, 1]
        finally:
            for workers in stubborn.values():
                workers.kill_all()
        for kind, said in kinds.items():
            (line,) = [line for line in stubborn[kind].said("w1").splitlines() if line.startswith("cut off: ")]
            assert said in line

    asyncio.run(body())


def test_an_execution_of_a_closed_event_loop_is_lost_without_an_error() -> None:
    async def begun() -> Execution:
        task = asyncio.current_task()
        assert task is not None
        return Execution(task)

    execution = asyncio.run(begun())
    execution.lose_soon()
    assert not execution.has_run
