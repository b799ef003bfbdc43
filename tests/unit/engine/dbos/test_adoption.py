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
from psycopg.sql import SQL, Identifier

from tests.unit.engine.app import read, request
from tests.unit.engine.dbos.workers import Workers
from tests.unit.engine.engines import until
from toolgen.engine.dbos.connections import application_name

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

HOST = "tests.unit.engine.app:host"
_RUNS = "FROM dbos.workflow_status WHERE status = 'PENDING'"


@pytest.fixture
def postgres_workers(postgres_url: str, tmp_path: Path) -> Iterator[Workers]:
    found = Workers(postgres_url, tmp_path)
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
                assert (await engine.result(other, 60)).stopped == "completed"
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
