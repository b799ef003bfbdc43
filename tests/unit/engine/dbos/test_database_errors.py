"""Whatever a database says when something of a run is written: the run goes on, and no call is made again for it."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy import event, exc

from tests.later import later
from tests.unit.engine.app import read, request, write
from tests.unit.engine.engines import Engines, until
from toolgen.engine import RunFailed
from toolgen.engine.dbos.database import QUEUE, Failure, failure_of
from toolgen.record.stores import open_store
from toolgen.runtime.events.records import StoreError
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.engine.engines import Running

ALLOW: Final = PermissionDecision(decision=Decision.ALLOW_ONCE)

PASSING: Final = (
    "57014",  # a statement took too long, or was cancelled
    "55P03",  # a lock was not to be had
    "40001",  # transactions could not be serialized
    "40P01",  # a deadlock
    "53100",  # the disk is full
    "53200",
    "53300",  # too many connections
    "57P01",  # the server is stopped
    "57P02",
    "57P03",
    "08006",
    "25006",  # it became a standby
    "25P03",  # the transaction did nothing for too long
    "25P04",
    "26000",  # a pooler lost a prepared statement
    "58030",  # an error of its disk
    "0A000",  # a plan of another version of a table
    "XX000",
    "P0001",
)
OF_OPERATORS: Final = ("42501", "42P01", "3F000")
OFTEN: Final = ("57014", "55P03", "40001", "53100", "57P01", "08006", "25006", "P0001", "42501", "42P01")
"""One or two of each class: DBOS knows some of them, and toolgen the others."""
OF_VALUES: Final = ("22021", "23514", "54000")

REFUSING: Final = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    run text := coalesce(to_jsonb(NEW)->>'workflow_uuid', to_jsonb(NEW)->>'destination_uuid');
    code text := split_part(run, '-', 2);
    name text := coalesce(to_jsonb(NEW)->>'function_name', TG_TABLE_NAME);
    what text := rtrim(split_part(name, ' ', 1) || ' ' || split_part(name, ' ', 2));
    seen regclass := to_regclass(format('%I', run || ' ' || what));
BEGIN
    IF code <> '' AND seen IS NOT NULL AND nextval(seen) = 1 THEN
        RAISE EXCEPTION 'it cannot be written now' USING ERRCODE = code;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER refuse BEFORE INSERT ON dbos.operation_outputs FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER refuse BEFORE INSERT ON dbos.workflow_output FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER refuse BEFORE INSERT ON dbos.workflow_events FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER refuse BEFORE INSERT ON dbos.notifications FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER refuse BEFORE UPDATE ON dbos.workflow_status FOR EACH ROW WHEN (NEW.status = 'SUCCESS')
    EXECUTE FUNCTION refuse();
"""
"""Refuses the first write of each kind of a run `r-CODE`, with that code. A sequence counts what is rolled back too."""

WRITES: Final = (
    "plan",
    "call code.read_file",
    "call code.write_file",
    "DBOS.setEvent",
    "DBOS.recv",
    "DBOS.sleep",
    "workflow_events",
    "notifications",
    "workflow_status",
    "workflow_output",
)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let DBOS wait a hundredth of the seconds between two tries."""
    import time

    quick = SimpleNamespace(**{**vars(time), "sleep": lambda seconds: time.sleep(seconds / 100)})
    monkeypatch.setattr("dbos._sys_db.time", quick)


def refuse_writes(url: str, codes: tuple[str, ...], writes: tuple[str, ...] = WRITES) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(REFUSING)
        for code in codes:
            for what in writes:
                connection.execute(f'CREATE SEQUENCE "r-{code} {what}"'.encode())


def refused(url: str, code: str) -> set[str]:
    """Return the writes of a run that were refused and made again."""
    with psycopg.connect(url, autocommit=True) as connection:
        rows = connection.execute("SELECT sequencename, last_value FROM pg_sequences WHERE last_value > 1").fetchall()
    return {name.removeprefix(f"r-{code} ") for name, _ in rows if name.startswith(f"r-{code} ")}


@pytest.mark.parametrize("codes", [OFTEN, *later([tuple({*PASSING, *OF_OPERATORS} - {*OFTEN})])], ids=["often", "rest"])
@pytest.mark.long
def test_whatever_postgres_says_when_something_is_written_the_run_goes_on(
    codes: tuple[str, ...], prepared_url: str, tmp_path: Path
) -> None:
    async def body(running: Running) -> None:
        refuse_writes(prepared_url, codes)
        for code in codes:
            await running.engine.start(request([read(code)], [write(code)], answer=code, run_id=f"r-{code}"))
        for code in codes:
            (asked,) = await running.questions(f"r-{code}")
            # The engine that answers is told of what an operator has to do; whoever asks it does so again.
            for last in (False, True) if code in OF_OPERATORS else (True,):
                if last:
                    await running.engine.decide(f"r-{code}", asked.id, ALLOW, by="ann")
                else:
                    with pytest.raises(Exception, match=r"the database (of the runs fails|has no tables)"):
                        await running.engine.decide(f"r-{code}", asked.id, ALLOW, by="ann")
        for code in codes:
            end = await running.engine.result(f"r-{code}", 300)
            assert (end.stopped, end.value) == ("completed", code)
            assert not [message for message in end.messages if message.is_error]
            assert refused(prepared_url, code) == {*WRITES}, code
        assert sorted(running.marks()) == sorted([*codes, *codes])

    Engines("postgres", prepared_url, tmp_path, is_prepared=True).run(body)


@pytest.mark.parametrize("what", ["call code.read_file", "workflow_output"])
def test_what_no_database_takes_fails_the_run_with_a_reason_without_statements(
    what: str, prepared_url: str, tmp_path: Path
) -> None:
    async def body(running: Running) -> None:
        refuse_writes(prepared_url, OF_VALUES, (what,))
        for code in OF_VALUES:
            await running.engine.start(request([read(code)], run_id=f"r-{code}"))
        for code in OF_VALUES:
            with pytest.raises(RunFailed) as raised:
                await running.engine.result(f"r-{code}", 300)
            reason = str(raised.value)
            assert reason.endswith("it cannot be written now"), reason
            assert not any(word in reason for word in ("INSERT", "SQL", "psycopg", "operation_outputs"))
        assert sorted(running.marks()) == sorted(OF_VALUES)

    Engines("postgres", prepared_url, tmp_path, is_prepared=True).run(body)


@pytest.mark.parametrize("setting", ["statement_timeout", "lock_timeout"])
def test_a_table_that_others_hold_makes_no_call_fail(setting: str, prepared_url: str, tmp_path: Path) -> None:
    """With timeouts of the database, every write meanwhile fails, and every connection is one that has them."""

    async def body(running: Running) -> None:
        name = sa.make_url(prepared_url).database
        with psycopg.connect(prepared_url, autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE \"{name}\" SET {setting} = '300ms'".encode())
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()",
                [name],
            )
        ids = [await running.engine.start(request([read(f"slow-0.{n}")], answer=n)) for n in range(5)]
        await until(lambda: len(running.marks()) == 5)
        holder = psycopg.connect(prepared_url)
        holder.execute(f"SET {setting} = 0".encode())
        await asyncio.to_thread(
            lambda: holder.execute("LOCK TABLE dbos.operation_outputs, dbos.workflow_output IN EXCLUSIVE MODE")
        )
        await asyncio.sleep(1.5)
        holder.close()
        ends = [await running.engine.result(run_id, 300) for run_id in ids]
        assert [(end.stopped, end.value) for end in ends] == [("completed", number) for number in range(5)]
        assert not [message for end in ends for message in end.messages if message.is_error]
        assert len(running.marks()) == 5

    Engines("postgres", prepared_url, tmp_path, is_prepared=True).run(body)


def test_a_file_that_others_hold_makes_no_call_fail(tmp_path: Path) -> None:
    place = tmp_path / "runs.sqlite"

    async def body(running: Running) -> None:
        from dbos._dbos import _get_dbos_instance

        @event.listens_for(_get_dbos_instance()._sys_db.engine, "checkout")
        def wait_briefly(connection: Any, *_: object) -> None:
            connection.execute("PRAGMA busy_timeout=20")

        ids = [await running.engine.start(request([read(f"slow-0.{n}")], answer=n)) for n in range(5)]
        await until(lambda: len(running.marks()) == 5)
        with closing(sqlite3.connect(place, timeout=30, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            await asyncio.sleep(1.5)
            holder.execute("ROLLBACK")
        ends = [await running.engine.result(run_id, 300) for run_id in ids]
        assert [(end.stopped, end.value) for end in ends] == [("completed", number) for number in range(5)]
        assert len(running.marks()) == 5

    Engines("sqlite", str(place), tmp_path).run(body)


class Unreliable:
    """A store of the record that cannot be written now and then. Everything else is the store's."""

    def __init__(self, store: Any, failures: list[str]) -> None:
        self._store, self._failures = store, failures

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def append(self, event: Any) -> Any:
        if event.kind != "run_ended" or not self._failures:
            return self._store.append(event)
        return self._fail(event, self._failures.pop(0))

    async def _fail(self, event: Any, failure: str) -> None:
        if failure == "the answer is lost":
            await self._store.append(event)
        raise StoreError(failure)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.variants(1)
def test_the_end_of_a_run_is_on_record_once_whatever_its_store_says_and_however_often_it_is_executed(
    kind: str, tmp_path: Path, request_: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    url: str = request_.getfixturevalue("prepared_url") if kind == "postgres" else ""
    store = open_store(url or tmp_path / "record.db")
    failures: list[str] = []

    async def ends_of(run_id: str) -> list[Any]:
        record = await store.read(run_id)
        return [event.data["end_reason"] for event in record.events if event.kind == "run_ended"]

    async def body(running: Running) -> None:
        for number, failing in enumerate(
            [[], ["away", "away"], ["the answer is lost"], ["away", "the answer is lost"]]
        ):
            failures[:] = failing
            run_id = await running.engine.start(request([read(f"{number}")], answer=number, run_id=f"r{number}"))
            end = await running.engine.result(run_id)
            assert (end.stopped, end.value, failures) == ("completed", number, [])
            assert await ends_of(run_id) == ["completed"]
        # The worker died after it had recorded the end, and before it had written the outcome of the run.
        await asyncio.to_thread(enqueue_again, running.engine, "r0")
        assert (await running.engine.result("r0")).value == 0
        assert await ends_of("r0") == ["completed"]
        assert sorted(running.marks()) == ["0", "1", "2", "3"]
        # Nobody waits for ever: the run has happened.
        monkeypatch.setattr("toolgen.engine.host._END_SECONDS", 0.2)
        failures[:] = ["away"] * 9
        run_id = await running.engine.start(request([read("late")], run_id="late"))
        assert (await running.engine.result(run_id)).stopped == "completed"
        assert await ends_of(run_id) == []

    Engines(kind, url or str(tmp_path / "runs.sqlite"), tmp_path, is_prepared=bool(url)).run(
        body, store=Unreliable(store, failures)
    )
    asyncio.run(store.close())


@pytest.fixture
def request_(request: pytest.FixtureRequest) -> pytest.FixtureRequest:
    return request


def enqueue_again(engine: Any, run_id: str) -> None:
    tables = engine._tables
    runs, outputs = tables.tables.workflow_status, tables.tables.workflow_output
    with tables.engine.begin() as connection:
        connection.execute(sa.delete(outputs).where(outputs.c.workflow_uuid == run_id))
        again = {"status": "ENQUEUED", "queue_name": QUEUE, "owner_xid": None, "completed_at": None}
        connection.execute(sa.update(runs).where(runs.c.workflow_uuid == run_id).values(**again))


def error_of_sqlite(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("it fails")
    error.sqlite_errorcode = code
    return error


def error_of_postgres(code: str | None) -> psycopg.Error:
    error = psycopg.OperationalError("it fails")
    error.sqlstate = code
    return error


@pytest.mark.parametrize(
    ("errors", "failure"),
    [
        ([*map(error_of_postgres, (*PASSING, None))], Failure.PASSES),
        ([*map(error_of_postgres, OF_OPERATORS)], Failure.OF_OPERATOR),
        ([*map(error_of_postgres, OF_VALUES)], Failure.OF_VALUE),
        (
            [
                error_of_sqlite(code)
                for code in (
                    sqlite3.SQLITE_BUSY,
                    sqlite3.SQLITE_BUSY_SNAPSHOT,
                    sqlite3.SQLITE_LOCKED,
                    sqlite3.SQLITE_FULL,
                    sqlite3.SQLITE_IOERR_WRITE,
                    sqlite3.SQLITE_CANTOPEN,
                    sqlite3.SQLITE_NOMEM,
                    sqlite3.SQLITE_INTERRUPT,
                )
            ],
            Failure.PASSES,
        ),
        ([*map(error_of_sqlite, (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_ERROR))], Failure.OF_OPERATOR),
        ([*map(error_of_sqlite, (sqlite3.SQLITE_CONSTRAINT_TRIGGER, sqlite3.SQLITE_TOOBIG))], Failure.OF_VALUE),
        ([sqlite3.InterfaceError("a value that SQLite does not know")], Failure.OF_VALUE),
    ],
    ids=["postgres", "operator", "value", "sqlite", "sqlite operator", "sqlite value", "driver"],
)
def test_an_error_of_a_database_has_one_meaning(errors: list[Exception], failure: Failure) -> None:
    for error in errors:
        wrapped = exc.OperationalError("INSERT", {}, error)
        assert failure_of(wrapped) is failure, error
    assert failure_of(exc.TimeoutError()) is Failure.PASSES  # no connection was free
