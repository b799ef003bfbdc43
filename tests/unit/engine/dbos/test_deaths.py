"""A run that kills the workers which execute it takes no other run with it."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from tests.unit.engine import app
from tests.unit.engine.app import read, request, search, write
from tests.unit.engine.engines import Engines, Running, until
from toolgen.engine import RunFailed
from toolgen.engine.body import Retries
from toolgen.engine.dbos.adoption import MOST_DEATHS, SUSPECTED_AFTER, count_deaths, count_deaths_of, undo_death
from toolgen.engine.dbos.database import QUEUE, SUSPECTS
from toolgen.engine.dbos.executions import ActiveRuns, Execution

if TYPE_CHECKING:
    from tests.unit.engine.dbos.workers import Workers


async def keep_two_alive(workers: Workers) -> None:
    """Start a worker for each that dies, as a service manager does."""
    while True:
        for name in [name for name, process in workers.running.items() if process.poll() is not None]:
            workers.running.pop(name)
        while len(workers.running) < 2:
            workers.start()
        await asyncio.sleep(0.2)


@pytest.mark.long
def test_a_run_that_kills_its_workers_fails_alone_and_goes_on_once_it_is_cured(workers: Workers) -> None:
    async def body() -> None:
        manager = asyncio.create_task(keep_two_alive(workers))
        try:
            async with workers.opened() as engine:
                good = [await engine.start(request([read("slow-0.5")] * 2, [read(f"b{n}")])) for n in range(20)]
                poison = await engine.start(request([read("before")], [read("poison")], [read("after")]))
                for run_id in good:
                    end = await engine.result(run_id, 400)
                    assert (end.stopped, [each for each in end.messages if each.is_error]) == ("completed", [])
                info = await until(partial(engine.info, poison), lambda info: info.state == "failed", 400)
                assert (info.reason, info.detail) == (
                    "crashes",
                    f"{MOST_DEATHS} workers died, one after the other, while they executed its step 4",
                )
                with pytest.raises(RunFailed, match=f"{poison} could not be executed: {MOST_DEATHS} workers died"):
                    await engine.result(poison)
                paths = [row[0] for row in app.rows(workers.folder, "SELECT path FROM attempts")]
                assert paths.count("poison") == MOST_DEATHS
                (workers.folder / "cured").touch()
                await engine.resume(poison)
                assert (await engine.result(poison, 200)).stopped == "completed"
                paths = [row[0] for row in app.rows(workers.folder, "SELECT path FROM attempts")]
                assert (paths.count("before"), paths.count("poison"), paths.count("after")) == (1, MOST_DEATHS + 1, 1)
        finally:
            manager.cancel()
            await asyncio.wait([manager])

    asyncio.run(body())


def rows(engine: Any) -> dict[str, tuple[str, str | None, Any]]:
    runs = engine._tables.tables.workflow_status
    with engine._tables.engine.begin() as connection:
        found = connection.execute(sa.select(runs.c.workflow_uuid, runs.c.status, runs.c.queue_name, runs.c.attributes))
        return {run_id: (status, queue, len((about or {}).get("deaths", ()))) for run_id, status, queue, about in found}


def test_a_death_counts_for_runs_that_did_something_until_they_come_further(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([read("slow-60")], run_id="works"))
        await engine.start(request([read("until-further"), read("slow-60.5")], run_id="comes-further"))
        await engine.start(request([write("a")], run_id="asks"))
        await engine.start(request([read("waits-go-60")], run_id="waits-for-a-signal"))
        await engine.start(request([search([("router.web_search", {"query": "x"})])], run_id="has-an-agent"))
        await engine.start(request([read("down")], run_id="pauses"))
        await until(lambda: len(running.marks()) == 4)
        await running.questions("asks")
        await until(engine.runs, lambda runs: len(runs) == 7)
        await until(partial(engine.info, "waits-for-a-signal"), lambda info: info.state == "waiting")
        await until(lambda: steps_of(engine, "pauses") >= 3)
        for deaths in range(1, MOST_DEATHS + 1):
            given_up = await asyncio.to_thread(count_deaths_of, engine._tables, running.worker.name)
            seen = rows(engine)
            for name in ("asks", "has-an-agent", "pauses", "waits-for-a-signal"):
                assert seen[name] == ("PENDING", QUEUE, 0)
            if deaths == 1:
                assert seen["comes-further"] == ("PENDING", QUEUE, 1)
                (running.folder / "further").touch()
                await until(lambda: steps_of(engine, "comes-further") == 2)
            if deaths == 2:
                assert seen["comes-further"] == ("PENDING", QUEUE, 1)
            if deaths < MOST_DEATHS:
                queue = SUSPECTS if deaths >= SUSPECTED_AFTER else QUEUE
                assert seen["works"] == ("PENDING", queue, deaths)
                assert not given_up
            else:
                assert [*given_up] == ["works"]
                assert seen["works"] == ("MAX_RECOVERY_ATTEMPTS_EXCEEDED", None, deaths)
        forked = await engine.fork("works", 1)
        assert rows(engine)[forked][2] == 0  # a run of its own, which nobody has died of

    durable.run(body, retries=Retries(first=60, most=60))


def test_a_death_of_a_worker_that_comes_back_counts_no_more(durable: Engines) -> None:
    """A run that two others may have died of is a suspect until one of them is back, and so has not died."""

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([read("slow-60")], run_id="works"))
        await until(lambda: len(running.marks()) == 1)
        tables = engine._tables
        runs = tables.tables.workflow_status
        for deaths, worker in enumerate(["w1", "w2", "w1"], 1):
            with tables.engine.begin() as connection:
                assert count_deaths(tables, connection, worker, ["works"]) == {}
            queue = SUSPECTS if deaths >= SUSPECTED_AFTER else QUEUE
            assert rows(engine)["works"] == ("PENDING", queue, deaths)
        undo_death(tables, "w3")  # it has killed nobody
        assert rows(engine)["works"] == ("PENDING", SUSPECTS, 3)
        undo_death(tables, "w2")
        assert rows(engine)["works"] == ("PENDING", SUSPECTS, 2)  # it is executed as it was taken
        with tables.engine.begin() as connection:
            assert count_deaths(tables, connection, "w3", ["works"]) == {}
            waits = {"status": "ENQUEUED", "application_version": "no worker's"}  # so that none takes it again here
            connection.execute(sa.update(runs).values(waits))
        undo_death(tables, "w1")  # it took the run again before it knew
        assert rows(engine)["works"][1:] == (QUEUE, 1)
        undo_death(tables, "w3")
        assert rows(engine)["works"][1:] == (QUEUE, 0)

    durable.run(body)


def steps_of(engine: Any, run_id: str) -> int:
    steps = engine._tables.tables.operation_outputs
    with engine._tables.engine.begin() as connection:
        count = sa.select(sa.func.count()).where(steps.c.workflow_uuid == run_id)
        return int(connection.execute(count).scalar_one())


def test_suspects_run_one_at_a_time_until_they_have_come_further() -> None:
    class Held:
        is_held = True

    executions: dict[str, Any] = {}
    active = ActiveRuns(executions, Held())  # type: ignore[arg-type]  # a lease that is held
    entries = [active.add(name, queue) for name, queue in (("a", SUSPECTS), ("b", QUEUE), ("c", QUEUE))]
    assert (active.count_for_queue(SUSPECTS), active.count_for_queue(QUEUE)) == (1, 3)  # DBOS has begun, we have not
    for name in "abc":
        executions[name] = Execution(None)  # type: ignore[arg-type]  # it is not cancelled here
    assert (active.count_for_queue(SUSPECTS), active.count_for_queue(QUEUE)) == (1, 3)
    with executions["a"].doing(), executions["a"].waiting():
        assert (active.count_for_queue(SUSPECTS), active.count_for_queue(QUEUE)) == (0, 2)
    executions["a"].has_come_further = True
    assert (active.count_for_queue(SUSPECTS), active.count_for_queue(QUEUE)) == (0, 3)
    entries[0].release()
    assert (active.count_for_queue(SUSPECTS), active.count_for_queue(QUEUE)) == (0, 2)
