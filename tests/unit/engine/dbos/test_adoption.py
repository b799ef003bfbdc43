"""Adoption: the runs of workers that stand still are taken over, whatever these, or strangers, hold in the database."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import psycopg
import pytest
import sqlalchemy as sa
from psycopg.sql import SQL, Identifier
from sqlalchemy.exc import OperationalError

from tests.unit.engine.app import read, request
from tests.unit.engine.dbos.workers import Workers
from tests.unit.engine.engines import Engines, Running, engines_of, until
from toolgen.engine.dbos import tables
from toolgen.engine.dbos.adoption import SEARCH_SECONDS, Adoption
from toolgen.engine.dbos.connections import application_name
from toolgen.engine.dbos.database import QUEUE, RUN, SUSPECTS, close_client, database_url, open_client
from toolgen.engine.dbos.lease import DEAD, Lease, Watch, place_of
from toolgen.engine.dbos.own_tables import WORKERS

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from dbos._sys_db import SystemDatabase

HOST = "tests.unit.engine.app:host"
_RUNS = "FROM dbos.workflow_status WHERE status = 'PENDING'"


@pytest.fixture
def postgres_workers(prepared_url: str, tmp_path: Path) -> Iterator[Workers]:
    found = Workers(prepared_url, tmp_path)
    try:
        yield found
    finally:
        found.kill_all()


class Beats:
    """The beats of a worker, seen from outside."""

    def __init__(self, workers: Workers, name: str) -> None:
        self._workers, self._name = workers, name

    def count(self) -> int:
        with psycopg.connect(self._workers.database) as connection:
            query = "SELECT beats FROM toolgen_workers WHERE worker = %s"
            return int((connection.execute(query, [self._name]).fetchone() or (0,))[0])

    def health(self) -> dict[str, Any]:
        found = re.search(r"http://\S+", self._workers.said(self._name))
        assert found is not None
        with urlopen(f"{found.group()}/health", timeout=60) as answer:  # noqa: S310  # of the worker
            return dict(json.load(answer))


def runs_of(workers: Workers, name: str) -> list[str]:
    with psycopg.connect(workers.database) as connection:
        rows = connection.execute(f"SELECT workflow_uuid {_RUNS} AND executor_id = %s", [name])
        return [row[0] for row in rows]


@contextmanager
def row_locked(url: str, run_id: str, application: str = "stranger") -> Generator[psycopg.Connection]:
    """Hold the row of a run, as somebody else, or as a process that stands still amid a transaction."""
    with psycopg.connect(url, application_name=application) as connection:
        connection.execute("SELECT 1 FROM dbos.workflow_status WHERE workflow_uuid = %s FOR UPDATE", [run_id])
        yield connection
        with suppress(psycopg.Error):  # it was ended
            connection.rollback()


async def two_workers(workers: Workers, engine: Any, count: int) -> tuple[str, str, list[str]]:
    """Let one worker execute runs, start another one, and return both, and the runs."""
    first = workers.start(HOST)
    await until(lambda: "executes runs" in workers.said(first))
    ids = [await engine.start(request([read("slow-60")])) for _ in range(count)]
    await until(lambda: len(runs_of(workers, first)) == count)
    second = workers.start(HOST, "--http", "127.0.0.1:0")
    await until(lambda: "executes runs" in workers.said(second))
    return first, second, ids


def test_a_worker_frozen_amid_a_transaction_that_holds_rows_is_adopted(postgres_workers: Workers) -> None:
    workers = postgres_workers

    async def body() -> None:
        async with workers.opened() as engine:
            first, second, ids = await two_workers(workers, engine, 8)
            beats = Beats(workers, second)
            with row_locked(workers.database, ids[3], application_name(first)) as held:
                workers.running[first].send_signal(signal.SIGSTOP)
                before = await asyncio.to_thread(beats.count)
                await until(lambda: sorted(runs_of(workers, second)) == sorted(ids))
                assert beats.count() - before >= 3  # it beats all the while
                assert beats.health()["status"] == "ok"
                with pytest.raises(psycopg.OperationalError):
                    held.execute("SELECT 1")
            assert beats.count() > 0

    asyncio.run(body())


def test_a_row_that_a_stranger_has_locked_holds_up_itself_alone(postgres_workers: Workers) -> None:
    workers = postgres_workers

    async def body() -> None:
        async with workers.opened() as engine:
            first, second, ids = await two_workers(workers, engine, 8)
            beats = Beats(workers, second)
            with row_locked(workers.database, ids[3]):
                workers.kill(first)
                free = sorted(set(ids) - {ids[3]})
                await until(lambda: sorted(runs_of(workers, second)) == free)
                before = beats.count()
                await until(lambda: beats.count() >= before + 3)
                assert beats.health()["status"] == "ok"
                assert runs_of(workers, first) == [ids[3]]
                other = await engine.start(request([read("a")]))
                assert (await engine.result(other, 300)).stopped == "completed"
            await until(lambda: sorted(runs_of(workers, second)) == sorted(ids))
            await until(partial(_is_gone, workers, first))

    asyncio.run(body())


def _is_gone(workers: Workers, name: str) -> bool:
    return Beats(workers, name).count() == 0


def test_where_sessions_may_not_be_ended_runs_are_adopted_when_postgres_ends_them(
    postgres_url: str, tmp_path: Path
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        database = Identifier(connection.info.dbname)
        role = Identifier(f"limited_{connection.info.dbname}")
        connection.execute(SQL("CREATE ROLE {} LOGIN IN ROLE pg_read_all_stats").format(role))
        connection.execute(SQL("ALTER DATABASE {} OWNER TO {}").format(database, role))
        connection.execute(SQL("GRANT ALL ON SCHEMA public TO {}").format(role))
    limited = postgres_url.replace("postgres@", f"{role.as_string()[1:-1]}@")
    workers = Workers(limited, tmp_path)

    async def body() -> None:
        async with workers.opened() as engine:
            first, second, ids = await two_workers(workers, engine, 3)
            with row_locked(postgres_url, ids[1], application_name(first)) as held:
                held.execute("SET idle_in_transaction_session_timeout = 12000")
                workers.kill(first)
                await until(lambda: sorted(runs_of(workers, second)) == sorted(ids))
            assert workers.said(second).count("the sessions of dead workers cannot be ended") == 1
            assert Beats(workers, second).health()["status"] == "ok"

    try:
        asyncio.run(body())
    finally:
        workers.kill_all()


class Lonely:
    """A worker's part that looks after others, alone on a database, with a clock that it is told."""

    def __init__(self, url: str) -> None:
        self.client = open_client(url)
        self.tables = self.client._sys_db
        self.now = 1000.0
        self.lease = Lease(self.tables.engine, "own", lambda: self.now)
        self.lease.prepare()
        self.watch = Watch(self.tables.engine, "own", lambda: self.now)
        self.adoption = Adoption(self.tables, "own", lambda _run, _why: None, lambda: self.now)
        self.runs = self.tables.tables.workflow_status

    def add(self, run_id: str, worker: str, queue: str = QUEUE) -> None:
        row = {"workflow_uuid": run_id, "status": "PENDING", "name": RUN, "queue_name": queue, "owner_xid": "x"}
        with self.tables.engine.begin() as connection:
            connection.execute(sa.insert(self.runs).values(**row, executor_id=worker, created_at=0, updated_at=0))

    def seen(self) -> dict[str, tuple[str, str | None]]:
        with self.tables.engine.begin() as connection:
            found = connection.execute(sa.select(self.runs.c.workflow_uuid, self.runs.c.status, self.runs.c.queue_name))
            return {run_id: (status, queue) for run_id, status, queue in found}

    def workers(self) -> dict[str, int]:
        with self.tables.engine.begin() as connection:
            return {worker: min(beats, 0) for worker, beats in connection.execute(sa.select(*_BEATS))}

    def search(self, *executed: str) -> None:
        self.now += SEARCH_SECONDS
        self.lease.beat()
        self.adoption.search(self.lease, lambda: executed)


_BEATS = (WORKERS.c.worker, WORKERS.c.beats)


@pytest.fixture(params=["sqlite", "postgres"])
def lonely(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lonely]:
    engines = engines_of(request.param, request, tmp_path)
    engines.prepare()
    found = Lonely(engines.url)
    yield found
    close_client(found.client)


def test_runs_of_a_worker_without_a_row_are_adopted(lonely: Lonely) -> None:
    """It was taken over, went on, took runs before its next beat, and died."""
    lonely.add("stray", "gone")
    lonely.add("of-others", "gone too", "a queue of another program")
    lonely.add("of-neighbour", "w2")
    Lease(lonely.tables.engine, "w2").prepare()
    lonely.adoption.search(lonely.lease, lambda: ())  # it is not its turn
    assert lonely.workers() == {"own": 0, "w2": 0}
    lonely.search()
    assert lonely.workers() == {"own": 0, "w2": 0, "gone": DEAD}
    lonely.adoption.take_over_dead(lonely.watch)
    assert lonely.seen() == {
        "stray": ("ENQUEUED", QUEUE),
        "of-others": ("PENDING", "a queue of another program"),
        "of-neighbour": ("PENDING", QUEUE),
    }
    assert lonely.workers() == {"own": 0, "w2": 0}


def test_runs_that_a_worker_has_taken_and_does_not_execute_are_enqueued_again(lonely: Lonely) -> None:
    """The answer to its statement was lost; a run that it has just taken is not one of these."""
    for run_id, queue in (("idle", QUEUE), ("suspect", SUSPECTS), ("executed", QUEUE), ("just-taken", QUEUE)):
        lonely.add(run_id, "own", queue)
    lonely.search("executed")
    assert {status for status, _ in lonely.seen().values()} == {"PENDING"}
    lonely.now += 10
    lonely.adoption.search(lonely.lease, lambda: ["executed"])  # another one may have its name, and execute them
    assert {status for status, _ in lonely.seen().values()} == {"PENDING"}
    lonely.search("executed")
    lonely.search("executed", "just-taken")
    assert lonely.seen() == {
        "idle": ("ENQUEUED", QUEUE),
        "suspect": ("ENQUEUED", SUSPECTS),
        "executed": ("PENDING", QUEUE),
        "just-taken": ("PENDING", QUEUE),
    }


def test_a_worker_that_is_back_is_not_adopted(lonely: Lonely) -> None:
    """It has begun another lease after somebody has seen that it was dead."""
    lonely.add("r", "w1")
    returned = Lease(lonely.tables.engine, "w1")
    returned.prepare()
    assert not lonely.adoption.take_over("w1")
    assert lonely.seen() == {"r": ("PENDING", QUEUE)}
    assert returned.beat()


def test_no_death_counts_for_a_worker_that_leaves_its_runs(lonely: Lonely) -> None:
    """It has lost its lease and lives; somebody else takes over what it left before it does so itself."""
    lonely.add("r", "w1")
    Lease(lonely.tables.engine, "w1").yield_runs()
    assert lonely.adoption.take_over("w1")
    with lonely.tables.engine.begin() as connection:
        assert not connection.execute(sa.select(lonely.runs.c.attributes)).scalar_one()
    assert lonely.seen() == {"r": ("ENQUEUED", QUEUE)}


def test_no_lease_begins_while_runs_of_the_one_before_are_left(prepared_url: str) -> None:
    lonely = Lonely(database_url(prepared_url))
    lonely.add("r", "own")
    with lonely.tables.engine.begin() as connection:
        connection.execute(sa.delete(WORKERS))
    assert not lonely.lease.beat()
    with psycopg.connect(prepared_url) as held:
        held.execute("SELECT 1 FROM dbos.workflow_status WHERE workflow_uuid = 'r' FOR UPDATE")
        lonely.adoption.begin_again(lonely.lease)
        assert lonely.lease.is_lost
        held.rollback()
    lonely.adoption.begin_again(lonely.lease)
    assert lonely.lease.is_held
    assert lonely.seen() == {"r": ("ENQUEUED", QUEUE)}
    close_client(lonely.client)


def test_a_run_that_is_taken_over_right_before_its_call_makes_none(
    durable: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker holds its lease all the while: only who owns the run tells."""
    is_owned, asked = tables.is_owned, list[str]()

    def take_over_first(database: SystemDatabase, run_id: str, owner: str) -> bool:
        runs = database.tables.workflow_status
        with database.engine.begin() as connection:
            connection.execute(sa.update(runs).where(runs.c.workflow_uuid == run_id).values(owner_xid="another"))
        asked.append(run_id)
        return is_owned(database, run_id, owner)

    monkeypatch.setattr(tables, "is_owned", take_over_first)

    async def body(running: Running) -> None:
        await running.engine.start(request([read("a")], run_id="r", user="u"))
        await until(lambda: bool(asked) and not running.worker._executions)
        assert running.count("call") == 0
        assert running.worker._lease.is_held

    durable.run(body, worker={"per_user": 1})  # whoever waits for its turn is asked again


def test_searches_are_the_rarer_the_more_workers_there_are(lonely: Lonely) -> None:
    for number in range(20):
        Lease(lonely.tables.engine, f"w{number}").prepare()
    lonely.search()
    lonely.add("stray", "gone")
    for _ in range(4):
        lonely.search()
        assert "gone" not in lonely.workers()
    lonely.search()
    assert "gone" in lonely.workers()


def test_one_that_cannot_be_taken_over_now_holds_up_no_other(lonely: Lonely, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("w1", "w2", "w3"):
        Lease(lonely.tables.engine, name).prepare()
        lonely.add(f"of-{name}", name)
    with lonely.tables.engine.begin() as connection:
        connection.execute(sa.update(WORKERS).where(WORKERS.c.worker != "own").values(beats=DEAD))
    take_over, bad = Adoption.take_over, min(("w1", "w2", "w3"), key=place_of)

    def refused(adoption: Adoption, worker: str) -> bool:
        if worker == bad:
            raise OperationalError("UPDATE", {}, OSError("it is locked"))
        return take_over(adoption, worker)

    monkeypatch.setattr(Adoption, "take_over", refused)
    for _ in range(2):
        with pytest.raises(OperationalError):
            lonely.adoption.take_over_dead(lonely.watch)
        assert {run_id for run_id, (status, _) in lonely.seen().items() if status == "PENDING"} == {f"of-{bad}"}


def test_a_worker_that_stands_still_amid_a_beat_holds_up_no_other(prepared_url: str) -> None:
    lonely = Lonely(database_url(prepared_url))
    for name in ("w1", "w2"):
        Lease(lonely.tables.engine, name).prepare()
    with psycopg.connect(prepared_url) as held:
        held.execute("UPDATE toolgen_workers SET beats = beats + 1 WHERE worker = 'w1'")
        found: list[str] = []
        for _ in range(7):
            found = lonely.watch.look()
            lonely.now += 1
        assert found == ["w2"]
        held.rollback()
    assert sorted(lonely.watch.look()) == ["w1", "w2"]
    close_client(lonely.client)
