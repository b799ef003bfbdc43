"""Runs in a database that are cancelled, listed and deleted, also twice, at once, and too late."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from tests.unit.engine.app import read, request, search, write
from tests.unit.engine.dbos.workers import Workers
from tests.unit.engine.engines import Engines, until
from toolgen.engine import RunCancelled, RunFailed
from toolgen.engine.protocol import NotAsked
from toolgen.runtime.events.records import RunNotFound
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.engine.engines import Running

ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)


def command(durable: Engines, *args: str) -> tuple[int, str]:
    target = durable.url.replace("sqlite:///", "").replace("+psycopg", "")
    done = Workers(target, durable.folder).command(*args)
    return done.returncode, done.stdout + done.stderr


def test_a_run_that_is_started_cancelled_and_answered_at_once_does_so_once(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine, made = running.engine, request([write("a")], run_id="r1")
        assert await asyncio.gather(*(engine.start(made) for _ in range(8))) == ["r1"] * 8
        (asked,) = await running.questions("r1")
        await asyncio.gather(*(engine.cancel("r1") for _ in range(4)))
        assert await engine.approvals("r1") == []
        with pytest.raises(NotAsked):
            await engine.decide("r1", asked.id, ALLOW, by="ann")
        with pytest.raises(RunCancelled):
            await engine.result("r1", 300)
        assert running.marks() == []
        assert running.count("plan") == 1

    durable.run(body)


def test_runs_that_wait_are_found_behind_newer_ones_that_do_not(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([write("a")], run_id="waits"))
        await running.questions("waits")
        for number in range(5):
            await engine.start(request([read("slow-60")], run_id=f"r{number}"))
        await until(lambda: len(running.marks()) == 5)
        assert [run.run_id for run in await engine.runs(states=["waiting"], limit=2)] == ["waits"]
        assert [run.run_id for run in await engine.runs(states=["running"], limit=2)] == ["r4", "r3"]
        assert [run.run_id for run in await engine.runs(limit=2)] == ["r4", "r3"]
        assert len(await engine.runs()) == 6
        for number in range(5):
            await engine.cancel(f"r{number}")

    durable.run(body)


def test_many_runs_are_looked_at_in_a_few_statements(durable: Engines) -> None:
    """However many there are, and however few of them wait."""

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([write("a")], run_id="waits"))
        await running.questions("waits")
        for number in range(30):
            await engine.start(request([read("slow-30")], run_id=f"r{number}"))
        await until(lambda: len(running.marks()) == 30)
        statements: list[str] = []

        @event.listens_for(engine._tables.engine, "before_cursor_execute")
        def note(_connection: Any, _cursor: Any, statement: str, *_: object) -> None:
            statements.append(statement)

        assert [run.run_id for run in await engine.runs(states=["waiting"], limit=1)] == ["waits"]
        assert len(await engine.runs(states=["running"], limit=3)) == 3
        assert len(await engine.runs()) == 31
        assert len([each for each in statements if each.startswith("SELECT")]) <= 3 * 4
        for number in range(30):
            await engine.cancel(f"r{number}")

    durable.run(body)


def test_cancelling_a_run_cancels_no_other_whose_id_begins_alike(durable: Engines) -> None:
    async def body(running: Running) -> None:
        for run_id in ("2024", "2024.1", "2024x", "a_b", "aXb.0123456789abcdef"):
            await running.engine.start(request([write("a")], run_id=run_id))
            await running.questions(run_id)
        for run_id in ("2024", "a_b"):
            await running.engine.cancel(run_id)
        for run_id in ("2024.1", "2024x", "aXb.0123456789abcdef"):
            assert (await running.engine.info(run_id)).state == "waiting"

    durable.run(body)


def test_a_run_that_cannot_be_executed_has_failed_until_it_is_resumed(durable: Engines) -> None:
    fails = True

    def change(host: Any) -> None:
        execute = host.execute

        async def failing(*args: Any) -> Any:
            if fails and args[1].name == "call":
                raise OSError("no space left, password=hunter2-hunter2")
            return await execute(*args)

        host.execute = failing

    async def body(running: Running) -> None:
        nonlocal fails
        engine: Any = running.engine
        run_id = await engine.start(request([read("a")]))
        with pytest.raises(RunFailed, match=f"{run_id} could not be executed: OSError: no space left"):
            await engine.result(run_id, 300)
        assert (await engine.info(run_id)).state == "failed"
        assert [run.run_id for run in await engine.runs(states=["failed"])] == [run_id]
        assert await engine.runs(states=["ended"]) == []
        shown = await asyncio.to_thread(command, durable, "runs", "show", run_id)
        assert "could not be executed: OSError: no space left" in shown[1]
        assert "hunter2" not in shown[1]
        fails = False
        await engine.resume(run_id)
        assert (await engine.result(run_id, 300)).stopped == "completed"
        assert running.count("plan") == 2  # what was planned before it failed is kept

    durable.run(body, change=change)


def test_old_runs_are_deleted_batch_by_batch_past_those_that_are_kept(
    durable: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolgen.engine.dbos.retention._BATCH", 1)

    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([search(), write("a")], run_id="waits"))
        await running.questions("waits")
        for number in range(3):
            await engine.start(request([read("a")], run_id=f"ended-{number}"))
            await engine.result(f"ended-{number}", 300)
        assert (await engine.prune(0)).runs == 3
        left = [run.run_id for run in await engine.runs()]
        assert len(left) == 2
        assert all(run_id.startswith("waits") for run_id in left)

    durable.run(body)


def test_old_runs_are_deleted_and_leave_nothing(durable: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        child_of_a_waiting_run = request([search(), write("a")], run_id="waits")
        await engine.start(child_of_a_waiting_run)
        await running.questions("waits")
        await engine.start(request([search(), read("a")], run_id="ended"))
        await engine.result("ended", 300)
        await engine.start(request([write("a")], run_id="cancelled"))
        await running.questions("cancelled")
        await engine.cancel("cancelled")
        assert (await engine.prune(3600)).runs == 0
        answer = await asyncio.to_thread(command, durable, "runs", "prune", "--older-than", "0d", "--yes")
        assert answer == (0, "deleted 3 runs: 2 ended, 1 cancelled; by agent: 2 main, 1 orchestrator.researcher\n")
        left = [run.run_id for run in await engine.runs()]
        assert len(left) == 2
        assert all(run_id.startswith("waits") for run_id in left)
        assert await asyncio.to_thread(ids_in_tables, durable.url) <= set(left)

    durable.run(body)


def test_a_database_that_lacks_its_tables_is_an_error_with_a_reason(durable: Engines) -> None:
    durable.prepare()
    database = sa.create_engine(durable.url)
    table = "dbos.workflow_status CASCADE" if durable.kind == "postgres" else "workflow_status"
    with database.begin() as connection:
        connection.execute(sa.text(f"DROP TABLE {table}"))
    database.dispose()
    for args in (("list",), ("cancel", "r1")):
        code, text = command(durable, "runs", *args)
        assert code == 2
        assert "Error: the database has no tables of runs: a worker makes them when it starts" in text
        assert "Traceback" not in text


@pytest.mark.parametrize("run_id", ["nul\0", "half \ud800", "a/b", "", "x" * 100_000])
def test_no_run_has_an_odd_id(durable: Engines, run_id: str) -> None:
    async def body(running: Running) -> None:
        with pytest.raises(RunNotFound):
            await running.engine.info(run_id)

    durable.run(body)


def ids_in_tables(url: str) -> set[str]:
    """Return the ids of runs that any table of the database has."""
    database = sa.create_engine(url)
    try:
        tables = sa.MetaData()
        schemas = sa.inspect(database).get_schema_names()
        for schema in {"dbos", "main"} & {*schemas}:
            tables.reflect(database, schema=schema)
        with database.connect() as connection:
            return {
                value
                for table in tables.tables.values()
                for column in table.columns
                if column.name in ("workflow_uuid", "destination_uuid")
                for value in connection.execute(sa.select(column)).scalars()
            }
    finally:
        database.dispose()


@pytest.mark.parametrize(
    ("steer", "state", "message"),
    [
        (("cancel",), "ended", "r1 is ended already"),
        (("resume",), "ended", "r1 is ended: only a run that was cancelled or has failed can be resumed"),
        (("approve",), "ended", "r1 asks nothing"),
        (("deny", "c00"), "ended", "r1 does not ask 'c00'"),
        (("cancel",), "cancelled", "r1 is cancelled already"),
        (("approve", "c00"), "cancelled", "r1 does not ask 'c00'"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
@pytest.mark.variants(2)
def test_a_command_about_a_run_that_is_over_is_refused(
    tmp_path: Path, steer: tuple[str, ...], state: str, message: str
) -> None:
    durable = Engines("sqlite", str(tmp_path / "runs.sqlite"), tmp_path)

    async def body(running: Running) -> None:
        await running.engine.start(request([write("a")] if state == "cancelled" else [read("a")], run_id="r1"))
        if state == "cancelled":
            await running.questions("r1")
            await running.engine.cancel("r1")
        else:
            await running.engine.result("r1", 300)
        code, text = await asyncio.to_thread(command, durable, "runs", steer[0], "r1", *steer[1:])
        assert code == 2
        assert f"Error: {message}" in text

    durable.run(body)
