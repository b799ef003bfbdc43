"""The engine in this process: runs of event loops that have ended."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.unit.engine.app import read, request, write
from tests.unit.engine.engines import Engines, Running, until
from toolgen.engine import RunCancelled
from toolgen.engine.signals import NotSignalled

if TYPE_CHECKING:
    from pathlib import Path


async def begun(folder: Path) -> Running:
    """Start a run that makes a long call, and one that waits for an answer."""
    running = await Engines("local", "", folder).opened().__aenter__()
    await running.engine.start(request([read("slow-60")], run_id="calls"))
    await running.engine.start(request([write("a")], run_id="asks"))
    await running.questions("asks")
    await until(running.marks)
    return running


async def check_cancelled(running: Running) -> None:
    engine = running.engine
    for run_id in ("calls", "asks"):
        with pytest.raises(RunCancelled):
            await engine.result(run_id, 5)
        await engine.cancel(run_id)
        with pytest.raises(NotSignalled, match="it is cancelled"):
            await engine.signal(run_id, "go", by="ann")
        assert await engine.approvals(run_id) == []


async def check_others_go_on(running: Running) -> None:
    engine = running.engine
    await engine.resume("asks")
    await running.questions("asks")
    await engine.cancel("asks")
    await engine.start(request([read("b")], run_id="new"))
    assert (await engine.result("new", 20)).value == "done"
    assert {run.run_id: run.state for run in await engine.runs()} == {
        "calls": "cancelled",
        "asks": "cancelled",
        "new": "ended",
    }
    assert (await engine.workers())[0].activities == 0
    assert (await engine.prune(0)).runs == 3


async def check(running: Running) -> None:
    await check_cancelled(running)
    await check_others_go_on(running)


def test_a_run_of_a_loop_that_has_ended_is_cancelled(tmp_path: Path) -> None:
    asyncio.run(check(asyncio.run(begun(tmp_path))))


def test_a_run_of_a_loop_that_was_closed_while_it_went_on_is_cancelled(tmp_path: Path) -> None:
    loop = asyncio.new_event_loop()
    running = loop.run_until_complete(begun(tmp_path))
    loop.close()
    asyncio.run(check(running))


def test_runs_of_a_closed_loop_are_listed_as_cancelled(tmp_path: Path) -> None:
    loop = asyncio.new_event_loop()
    running = loop.run_until_complete(begun(tmp_path))
    loop.close()

    async def look() -> None:
        assert {run.state for run in await running.engine.runs()} == {"cancelled"}
        assert (await running.engine.workers())[0].runs == 0
        await running.engine.close()

    asyncio.run(look())
