"""A worker whose database goes away while it starts: for a moment, it starts nevertheless; for good, it says so.

Many that start at once, with a new database.
"""

from __future__ import annotations

import asyncio
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from tests.programs.postgres_proxy import proxy
from tests.unit.engine import app
from tests.unit.engine.app import read, request
from tests.unit.engine.engines import QUICK, Engines, LateEngine, until
from toolgen.engine.dbos import DbosWorker, database_url
from toolgen.engine.dbos.connections import BESIDE_WORKER, close_connections, open_connections
from toolgen.engine.dbos.lease import draw_token
from toolgen.engine.dbos.own_tables import create_tables
from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy.engine import Engine as Connections

    from tests.programs.postgres import PostgresServer
    from tests.unit.engine.engines import Running

MOMENTS = [pytest.param(each, marks=[pytest.mark.long] if each % 60 else []) for each in range(0, 180, 6)]
"""How many parts a worker has sent: about 170 while it starts."""


@pytest.mark.parametrize("is_last", [False, True], ids=["a connection is cut", "the server is gone"])
@pytest.mark.parametrize("parts", MOMENTS)
@pytest.mark.variants(2)
def test_a_worker_starts_in_spite_of_a_cut_and_says_that_its_database_is_gone(
    parts: int,
    is_last: bool,
    shared_postgres: PostgresServer,
    prepared_postgres: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    engines = Engines("postgres", shared_postgres.new_database(like=prepared_postgres), tmp_path)
    threads = threading.active_count()
    said: list[str] = []

    async def start(url: str) -> None:
        late: Any = LateEngine()
        worker = DbosWorker(app.host(late, tmp_path), url, retries=QUICK, poll=0.02)
        async with asyncio.timeout(60):
            try:
                await worker.start()
            except StoreError as error:
                said.append(str(error))
            else:
                await worker.stop(1)

    with proxy(shared_postgres) as passing:
        passing.is_last, passing.parts = is_last, parts
        asyncio.run(start(engines.url.replace(shared_postgres.folder.name, passing.folder.name)))
    if is_last:
        assert all(re.fullmatch(r"the database of the runs cannot be (prepared|reached): \w+", each) for each in said)
    else:
        assert said == []
    assert "Traceback" not in caplog.text

    async def go_on(running: Running) -> None:
        await running.engine.start(request([read()], run_id="r"))
        assert (await running.engine.result("r", 30)).stopped == "completed"

    engines.run(go_on)
    asyncio.run(until(threading.active_count, lambda count: count <= threads + 1))  # those of the proxy end by and by


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_many_begin_with_a_new_database_at_once(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    server: PostgresServer | None = None if kind == "sqlite" else request.getfixturevalue("shared_postgres")
    for number in range(5):
        target = tmp_path / f"{number}.sqlite" if server is None else server.new_database()
        others = [open_connections(database_url(target), BESIDE_WORKER) for _ in range(8)]
        ready = threading.Barrier(len(others))

        def begin(connections: Connections, ready: threading.Barrier = ready) -> int:
            ready.wait()
            create_tables(connections)
            return draw_token(connections)

        try:
            with ThreadPoolExecutor(len(others)) as threads:
                assert sorted(threads.map(begin, others)) == list(range(1, len(others) + 1))
        finally:
            for connections in others:
                close_connections(connections)
