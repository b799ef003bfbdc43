"""A worker that is stopped amid its work: what it did is kept, and no error is logged."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from tests.unit.engine import app
from tests.unit.engine.app import read, request
from tests.unit.engine.engines import until

if TYPE_CHECKING:
    from tests.unit.engine.dbos.workers import Workers


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
            ends = [await engine.result(run_id, 60) for run_id in ids]
            assert [(end.stopped, end.value) for end in ends] == [("completed", number) for number in range(30)]
            assert len(calls()) == 300

    asyncio.run(body())
