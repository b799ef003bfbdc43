"""Machines whose clocks differ: what one of them began is not waited for any longer by another."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from tests.unit.engine import app
from tests.unit.engine.app import read, request
from tests.unit.engine.dbos.workers import JUMPING
from tests.unit.engine.engines import until

if TYPE_CHECKING:
    from tests.unit.engine.dbos.workers import Workers


def test_the_pause_before_another_attempt_is_not_longer_where_the_clock_is_behind(workers: Workers) -> None:
    attempts = partial(app.rows, workers.folder, "SELECT path FROM attempts")

    async def body() -> None:
        async with workers.opened() as engine:
            first = workers.start(JUMPING)
            await until(lambda: "executes runs" in workers.said(first))
            workers.set_clock(first, 24 * 3600)
            await asyncio.sleep(0.5)
            run_id = await engine.start(request([read("down-a")], answer=1))
            await until(lambda: len(attempts()) == 2)
            (workers.folder / "up").touch()
            await asyncio.sleep(0.5)  # the pause before the third, of 2 seconds, has begun
            workers.kill(first)
            workers.start()
            end = await engine.result(run_id, 300)
            assert (end.stopped, end.value, len(attempts())) == ("completed", 1, 3)

    asyncio.run(body())
