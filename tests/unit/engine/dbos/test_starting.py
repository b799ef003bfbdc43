"""A worker whose database goes away while it starts: for a moment, it starts nevertheless; for good, it says so."""

from __future__ import annotations

import asyncio
import re
import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.programs.postgres_proxy import proxy
from tests.unit.engine import app
from tests.unit.engine.app import read, request
from tests.unit.engine.engines import QUICK, Engines, LateEngine, until
from toolgen.engine.dbos import DbosWorker
from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.programs.postgres import PostgresServer
    from tests.unit.engine.engines import Running

MOMENTS = [pytest.param(each, marks=[pytest.mark.long] if each % 60 else []) for each in range(0, 180, 6)]
"""How many parts a worker has sent: about 170 while it starts."""


@pytest.mark.parametrize("is_last", [False, True], ids=["a connection is cut", "the server is gone"])
@pytest.mark.parametrize("parts", MOMENTS)
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
