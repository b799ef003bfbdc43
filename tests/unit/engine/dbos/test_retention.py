"""Retention: old runs are deleted by one worker at a time, in batches, and never one that goes on or is waited for."""

from __future__ import annotations

import asyncio
import json
import signal
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from prometheus_client import generate_latest
from sqlalchemy.exc import OperationalError

from tests.unit.engine.app import read, request, search, write
from tests.unit.engine.engines import Engines, until
from tests.unit.engine.test_steering import ids_in_tables
from toolgen import __version__
from toolgen.engine.dbos import DbosEngine, DbosWorker, retention
from toolgen.engine.protocol import Pruned
from toolgen.runtime.events.records import RunNotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.unit.engine.dbos.workers import Workers
    from tests.unit.engine.engines import Running

DAY = 24 * 3600.0
Log = list[Pruned]


def aged(engine: Any, *run_ids: str) -> None:
    """Let runs have begun and ended two days ago."""
    runs = engine._tables.tables.workflow_status
    before = {name: runs.c[name] - int(2 * DAY * 1000) for name in ("created_at", "updated_at", "completed_at")}
    with engine._tables.engine.begin() as connection:
        connection.execute(sa.update(runs).where(runs.c.workflow_uuid.in_(run_ids)).values(**before))


async def ended(running: Running, run_ids: Sequence[str], *turns: Any) -> None:
    for run_id in run_ids:
        await running.engine.start(request(*turns, run_id=run_id))
    for run_id in run_ids:
        await running.engine.result(run_id, 300)


async def ids(engine: Any) -> set[str]:
    return {info.run_id for info in await engine.runs()}


def test_a_worker_deletes_old_runs_and_says_so_and_those_that_go_on_stay(
    durable: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "_LOOK", 0.05)
    monkeypatch.setattr(retention, "ROUND", 0.0)
    monkeypatch.setattr(retention, "_BATCH", 2)
    log: Log = []

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await ended(running, ["new", *(f"old-{number}" for number in range(5))], [read("a")])
        await engine.start(request([write("a")], run_id="cancelled"))
        await running.questions("cancelled")
        await engine.cancel("cancelled")
        for run_id in ("waits", "awaits"):
            await engine.start(request([write("a")] if run_id == "waits" else [read("waits-go-60")], run_id=run_id))
            await until(lambda: engine.info(run_id), lambda info: info.state == "waiting")  # noqa: B023  # at once
        await until(lambda: log)
        assert (await ids(engine), sum(each.runs for each in log)) == (
            {"new", "waits", "awaits", "cancelled", *(f"old-{number}" for number in range(5))},
            0,
        )
        aged(engine, "waits", "awaits", "cancelled", *(f"old-{number}" for number in range(5)))
        await until(lambda: any(each.runs for each in log))
        (deleted,) = [each for each in log if each.runs]
        assert (deleted.states, deleted.agents) == ({"ended": 5, "cancelled": 1}, {"main": 6})
        assert await ids(engine) == {"new", "waits", "awaits"}
        assert await asyncio.to_thread(ids_in_tables, durable.url) == {"new", "waits", "awaits"}
        assert "toolgen_runs_deleted_total 6.0" in generate_latest(running.worker.metrics.registry).decode()
        for run_id in ("waits", "awaits"):
            assert (await engine.info(run_id)).state == "waiting"
            await engine.cancel(run_id)

    durable.run(body, worker={"keep": DAY, "on_deleted": log.append})


def test_who_reads_what_was_deleted_sees_the_last_round(durable: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "_LOOK", 0.05)
    durable.prepare()

    async def body(running: Running) -> None:
        engine = running.engine
        found: Any = await until(engine.retention, lambda found: found is not None and found.ended is not None)
        assert (found.seconds, found.worker, found.deleted) == (DAY, running.worker.name, Pruned())
        assert found.next - found.ended == pytest.approx(retention.ROUND)

    async def before() -> None:
        engine = DbosEngine(durable.url)
        assert await engine.retention() is None
        await engine.close()

    asyncio.run(before())
    durable.run(body, worker={"keep": DAY})


def test_of_many_workers_one_has_the_round_and_the_next_one_comes_an_hour_later(durable: Engines) -> None:
    log: Log = []

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await ended(running, ["r1", "r2", "r3"], [read("a")])
        aged(engine, "r1", "r2", "r3")
        names = [f"w{number}" for number in range(6)]
        await asyncio.gather(*(retention._round(engine._tables, name, DAY, log.append) for name in names))
        assert [each.runs for each in log] == [3]
        found = await engine.retention()
        assert (found.worker in names, found.deleted) == (True, log[0])
        await ended(running, ["r4"], [read("a")])
        aged(engine, "r4")
        await retention._round(engine._tables, "w7", DAY, log.append)
        assert "r4" in await ids(engine)
        with engine._tables.engine.begin() as connection:
            connection.execute(sa.text("UPDATE toolgen_retention SET next_at = next_at - 3600"))
        await retention._round(engine._tables, "w7", DAY, log.append)
        assert ([each.runs for each in log], (await engine.retention()).worker) == ([3, 1], "w7")

    durable.run(body)


def test_a_worker_that_stood_still_amid_a_round_leaves_the_rest_to_the_one_that_goes_on(
    durable: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "_BATCH", 1)
    log: Log = []

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await ended(running, ["r1", "r2", "r3"], [read("a")])
        aged(engine, "r1", "r2", "r3")
        delete = retention._delete

        def frozen(*args: Any) -> Pruned:
            """The first batch takes so long that another worker begins a round."""
            monkeypatch.setattr(retention, "_delete", delete)
            with engine._tables.engine.begin() as connection:
                connection.execute(sa.text("UPDATE toolgen_retention SET next_at = 0"))
            assert retention._take(engine._tables, "second", "of-second", DAY)
            return delete(*args)

        monkeypatch.setattr(retention, "_delete", frozen)
        await retention._round(engine._tables, "first", DAY, log.append)
        assert [each.runs for each in log] == [1]
        found = await engine.retention()
        assert (found.worker, found.ended, len(await ids(engine))) == ("second", None, 2)

    durable.run(body)


def test_who_waits_for_a_run_that_is_deleted_is_told(durable: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    durable.prepare()

    async def body() -> None:
        engine: Any = DbosEngine(durable.url, poll=0.02)
        look = engine._tables.check_workflow_result
        looked = list[str]()

        def look_and_delete(run_id: str, **options: Any) -> Any:
            found = look(run_id, **options)
            runs = engine._tables.tables.workflow_status
            with engine._tables.engine.begin() as connection:
                connection.execute(sa.delete(runs).where(runs.c.workflow_uuid == run_id))
            looked.append(run_id)
            return found

        await engine.start(request(run_id="r"))
        monkeypatch.setattr(engine._tables, "check_workflow_result", look_and_delete)
        with pytest.raises(RunNotFound):
            await engine.result("r", 10)
        assert looked == ["r"]
        await engine.close()

    asyncio.run(body())


def test_agents_of_a_run_are_kept_as_long_as_it_is(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await ended(running, ["r"], [search()])
        (child,) = await ids(engine) - {"r"}
        aged(engine, child)
        assert (await engine.prune(DAY)).runs == 0
        aged(engine, "r")
        assert (await engine.prune(DAY)).runs == 2
        assert await ids(engine) == set()

    durable.run(body)


def test_a_database_that_is_away_for_a_moment_hides_no_old_run(
    durable: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "_BATCH", 2)
    delete, calls = retention._delete, 0

    def failing(*args: Any) -> Pruned:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise OperationalError("DELETE", {}, Exception())
        return delete(*args)

    async def body(running: Running) -> None:
        await ended(running, [f"r{number}" for number in range(5)], [read("a")])
        monkeypatch.setattr(retention, "_delete", failing)
        assert (await running.engine.prune(0)).runs == 5

    durable.run(body)


@pytest.mark.parametrize("keep", [0, -1.0, float("nan"), float("inf")])
def test_a_time_to_keep_runs_is_more_than_nothing(durable: Engines, keep: float) -> None:
    async def body(running: Running) -> None:
        with pytest.raises(ValueError, match="keep is"):
            DbosWorker(running.host, durable.url, keep=keep)

    durable.run(body)


def test_an_operator_sees_both_workers_a_frozen_one_and_what_is_deleted(workers: Workers) -> None:
    async def body() -> None:
        async with workers.opened() as engine:
            first = workers.start("tests.unit.engine.app:host", "--keep", "30d", "--concurrency", "3")
            second = workers.start("tests.unit.engine.app:host", "--keep", "30d", "--concurrency", "3")

            async def shown() -> dict[str, Any]:
                done = await asyncio.to_thread(workers.command, "runs", "workers", "--format", "json")
                found: dict[str, Any] = json.loads(done.stdout)
                return {**found, "workers": {each["name"]: each for each in found["workers"]}}

            await until(lambda: all("executes runs" in workers.said(each) for each in (first, second)))
            await until(engine.retention)
            both = await shown()
            assert both["workers"].keys() == {first, second}
            assert both["retention"]["seconds"] == 30 * DAY
            about = [each[name] for each in both["workers"].values() for name in ("concurrency", "version")]
            assert about == [3, __version__] * 2
            await until(lambda: sum("after 30d: deleted 0 runs" in workers.said(each) for each in (first, second)) == 1)
            workers.running[second].send_signal(signal.SIGSTOP)

            async def lease() -> str:
                return next((each.lease for each in await engine.workers() if each.name == second), "gone")

            await until(lease, lambda found: found == "gone")  # taken over, and removed
            assert (await shown())["workers"].keys() == {first}
            workers.running[second].send_signal(signal.SIGCONT)
            await until(lease, lambda found: found == "held")  # it begins another lease
            assert workers.stop(first) == 0
            text = await asyncio.to_thread(workers.command, "runs", "workers")
            assert f"{second}  held" in text.stdout
            assert "of 3 runs, 0 waiting, 0 activities  toolgen" in text.stdout
            assert "runs are kept for 30 days after their end; last round by w" in text.stdout

    asyncio.run(body())


@pytest.mark.parametrize("about", ['"x"', "[1]", "5", '{"agent": [1]}', '{"agent": 5, "parent": 5}', '{"deaths": 5}'])
def test_a_row_with_anything_in_it_is_deleted_and_counted(durable: Engines, about: str) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await ended(running, ["old-1", "old-2", "new"])
        aged(engine, "old-1", "old-2")
        runs = engine._tables.tables.workflow_status
        with engine._tables.engine.begin() as connection:
            odd = sa.update(runs).where(runs.c.workflow_uuid == "old-1")
            connection.execute(odd.values(attributes=json.loads(about)))
        deleted = await engine.prune(DAY)
        assert (deleted.runs, deleted.agents) == (2, {"-": 1, "main": 1})
        assert "deleted 2 runs" in str(deleted)
        assert await ids(engine) == {"new"}

    durable.run(body)


def test_runs_of_calls_whose_rows_name_each_other_are_deleted(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await ended(running, ["a", "b", "c"])
        aged(engine, "a", "b", "c")
        runs = engine._tables.tables.workflow_status
        with engine._tables.engine.begin() as connection:
            for run_id, parent in (("a", "b"), ("b", "a"), ("c", "none")):
                odd = sa.update(runs).where(runs.c.workflow_uuid == run_id)
                connection.execute(odd.values(attributes={"parent": parent}, priority=0))
        assert (await engine.prune(DAY)).runs == 3

    durable.run(body)
