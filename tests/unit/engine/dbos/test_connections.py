"""Connections of workers: few, with a name, and none of them waits for ever."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import sqlalchemy as sa

from tests.unit.engine.app import read, request, search
from tests.unit.engine.engines import until
from toolgen.engine.dbos import database_url
from toolgen.engine.dbos.connections import (
    ADOPTION,
    BESIDE_WORKER,
    CLIENT,
    IDLE_IN_TRANSACTION,
    LEASE,
    RUNS,
    Limits,
    application_name,
    close_connections,
    open_connections,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


_MOST = 10
_NOTIFIED = 1


def sessions(url: str) -> Sequence[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        query = (
            "SELECT application_name, count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' "
            "AND state IS NOT NULL GROUP BY 1 ORDER BY 1"  # without those of Postgres itself, and what just connects
        )
        return connection.execute(query).fetchall()


def test_a_worker_under_load_has_ten_connections_and_each_has_a_name(prepared_url: str, tmp_path: Path) -> None:
    from tests.unit.engine.dbos.workers import Workers

    workers = Workers(prepared_url, tmp_path)

    async def body() -> None:
        async with workers.opened() as engine:
            name = workers.start()
            await until(lambda: "executes runs" in workers.said(name))
            ids = [await engine.start(request([read("a"), search()], [read("b")] * 4)) for _ in range(15)]
            ended = asyncio.gather(*(engine.result(run_id, 300) for run_id in ids))
            most: dict[str, int] = {}
            while not ended.done():
                for application, count in await asyncio.to_thread(sessions, prepared_url):
                    most[application] = max(most.get(application, 0), count)
                await asyncio.sleep(0.05)
            assert {end.stopped for end in await ended} == {"completed"}
            own = most.pop(application_name(name))
            assert own <= RUNS.size + _NOTIFIED + LEASE.size + ADOPTION.size
            assert most.keys() == {application_name()}  # those of the engine of this test, and of that of the worker
            assert most[application_name()] <= CLIENT.size + BESIDE_WORKER.size

    try:
        asyncio.run(body())
    finally:
        workers.kill_all()
    assert RUNS.size + _NOTIFIED + LEASE.size + ADOPTION.size + BESIDE_WORKER.size <= _MOST


@pytest.mark.parametrize("limits", [RUNS, LEASE, ADOPTION, CLIENT, BESIDE_WORKER])
def test_every_connection_has_its_timeouts_also_after_a_rollback(limits: Limits, postgres_url: str) -> None:
    connections = open_connections(database_url(postgres_url), limits, "w")
    try:
        for _ in range(2):
            with connections.connect() as connection:
                found = {
                    name: connection.execute(sa.text(f"SHOW {name}")).scalar_one()
                    for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
                }
                assert found == {
                    "statement_timeout": f"{limits.statement:g}s",
                    "lock_timeout": f"{limits.lock:g}s",
                    "idle_in_transaction_session_timeout": f"{IDLE_IN_TRANSACTION:g}s",
                }
                raw: Any = connection.connection.dbapi_connection
                given = raw.info.get_parameters()
                assert {name: given[name] for name in ("application_name", "keepalives", "tcp_user_timeout")} == {
                    "application_name": "toolgen worker w",
                    "keepalives": "1",
                    "tcp_user_timeout": "10000",
                }
                assert given["connect_timeout"] == str(limits.connect)
                connection.rollback()
    finally:
        close_connections(connections)


@pytest.mark.parametrize("name", ["w", "w" * 100, "w" * 101, "wörker", "w?rker", "a b", "a\nb", "w~1", "\ud800"])
def test_names_of_workers_are_names_of_sessions_that_no_other_worker_has(name: str) -> None:
    names = ["w", "w" * 100, "w" * 101, "wörker", "w?rker", "a b", "a\nb", "a?b", "w~1", "\ud800", ""]
    own = application_name(name)
    assert len(own) <= 63
    assert own.isascii()
    assert own.isprintable()
    assert [other for other in names if application_name(other) == own] == [name]


def test_postgres_keeps_the_name_as_it_is(postgres_url: str) -> None:
    for name in ("w" * 100, "wörker"):
        connections = open_connections(database_url(postgres_url), LEASE, name)
        with connections.connect() as connection:
            shown = connection.execute(sa.text("SHOW application_name")).scalar_one()
        close_connections(connections)
        assert shown == application_name(name)


def test_connections_that_are_in_use_are_closed_when_they_are_free(postgres_url: str) -> None:
    connections = open_connections(database_url(postgres_url), CLIENT)
    used = connections.connect()
    raw: Any = used.connection.dbapi_connection
    close_connections(connections)
    assert not raw.closed
    used.close()
    assert raw.closed


def test_files_have_times_in_milliseconds_with_any_version_of_sqlite(tmp_path: Path) -> None:
    """DBOS asks for them by a modifier that SQLite has since 3.42, and newer versions of Python run with older ones."""
    connections = open_connections(database_url(tmp_path / "runs.db"), CLIENT)
    before = time.time()
    with connections.begin() as connection:
        connection.execute(
            sa.text("CREATE TABLE t (id INTEGER, at INTEGER NOT NULL DEFAULT (unixepoch('subsec') * 1000))")
        )
        connection.execute(sa.text("INSERT INTO t (id) VALUES (1)"))
        found = connection.execute(sa.text("SELECT at FROM t")).scalar_one()
    close_connections(connections)
    assert before - 0.001 <= found / 1000 <= time.time() + 0.001
