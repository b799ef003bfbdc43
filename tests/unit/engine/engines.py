"""Every engine, for tests that run on all of them."""

from __future__ import annotations

import asyncio
import sys
import threading
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from tests.unit.engine import app
from toolgen.engine import EngineHost, LocalEngine
from toolgen.engine.body import Retries
from toolgen.engine.dbos import DbosEngine, DbosWorker, database_url, prepare_database
from toolgen.engine.dbos import worker as dbos_worker
from toolgen.engine.dbos.private import db_retry
from toolgen.engine.protocol import NotAsked
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
    from pathlib import Path

    from tests.programs.postgres import PostgresServer
    from toolgen.engine.protocol import Activity, Approval, Engine, RunInfo
    from toolgen.engine.requests import Json, RunRequest

IN_DATABASES = ["sqlite", "postgres"]
KINDS = ["local", *IN_DATABASES]
SQLITE_LATER = pytest.param("sqlite", marks=pytest.mark.long)
"""SQLite, whose engine is that of Postgres: `make test` has it where every engine is tested, `test-long` everywhere."""

QUICK = Retries(first=0.05, most=0.2, planner_seconds=0.3, planner_most=0.2)


class CountingHost(EngineHost):
    """Notes the activities that it executes: their name and key, the run of each, and how many calls run at a time."""

    at_a_time = 0

    activities: list[tuple[str, str]]
    runs_seen: list[tuple[str, str]]

    async def execute(self, request: RunRequest, activity: Activity, /) -> Json:
        self.activities.append((activity.name, activity.key))
        self.runs_seen.append((activity.name, request.run_id))
        is_call = "call" in activity.args
        self.at_a_time += is_call
        try:
            return await super().execute(request, activity)
        finally:
            self.at_a_time -= is_call


class LateEngine:
    """An engine that is known only after the host that it needs. Everything else is the engine's."""

    engine: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)


class Running:
    """A running engine: the folder where tools leave marks, the host, and the worker if it is not the engine."""

    def __init__(self, engine: Engine, host: CountingHost, folder: Path, worker: Any = None) -> None:
        self.engine = engine
        self.worker = worker
        self.host = host
        self.folder = folder

    def count(self, name: str) -> int:
        return sum(activity == name for activity, _ in self.host.activities)

    def marks(self, columns: str = "path", table: str = "attempts") -> list[Any]:
        found = app.rows(self.folder, f"SELECT {columns} FROM {table}")  # noqa: S608  # names in tests
        return [row[0] if len(row) == 1 else row for row in found]

    async def questions(self, run_id: str, count: int = 1) -> list[Approval]:
        """Wait until a run asks so many questions."""
        asked: list[Approval] = await until(lambda: self.engine.approvals(run_id), lambda asked: len(asked) == count)
        return asked


async def until(
    look: Callable[[], Any],
    is_enough: Callable[[Any], bool] = bool,
    seconds: float = 300,
    pause: float | None = None,
) -> Any:
    """Look, sync or async, until it is enough, and return what is seen.

    Without a `pause` it looks the more rarely the longer it waits: most looks ask a database.
    """
    waits = pause or 0.02
    async with asyncio.timeout(seconds):
        while True:
            seen = look()
            if asyncio.iscoroutine(seen):
                seen = await seen
            if is_enough(seen):
                return seen
            await asyncio.sleep(waits)
            waits = pause or min(1.3 * waits, 0.2)


def retrying_threads() -> list[str]:
    """Return the names of the threads of this process in which DBOS tries again to reach a database."""
    code = getattr(db_retry()(list), "__code__", None)
    assert code is not None
    frames = sys._current_frames()
    inside = {ident for ident, frame in frames.items() if frame.f_code is code}  # it sleeps between two attempts
    return sorted(thread.name for thread in threading.enumerate() if thread.ident in inside)


ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)


async def allow(running: Running, run_id: str, decision: PermissionDecision | None = None) -> None:
    """Allow what a run and those below it ask, until it ends."""
    engine: Any = running.engine
    while (await engine.info(run_id)).state not in ("ended", "failed", "cancelled"):
        for info in await engine.runs(states=["waiting"]):
            if info.run_id == run_id or info.run_id.startswith(f"{run_id}."):
                for asked in await engine.approvals(info.run_id):
                    try:
                        await engine.decide(info.run_id, asked.id, decision or ALLOW, by="ann")
                    except NotAsked:
                        continue  # it was answered in the meantime
        await asyncio.sleep(0.05)


async def asking_agent(running: Running) -> RunInfo:
    """Start the run `r1`, whose call starts an agent, and return the run of the agent once that asks."""
    engine: Any = running.engine
    await engine.start(app.request([app.AGENT], run_id="r1"))
    child: RunInfo = (await until(engine.runs, lambda runs: len(runs) == 2))[0]
    await running.questions(child.run_id)
    return child


class Engines:
    """Opens an engine of one kind, any number of times, on the same database.

    Where that is a copy of one with the tables of an engine, its workers do not prepare it again.
    """

    def __init__(self, kind: str, target: str, folder: Path, *, is_prepared: bool = False) -> None:
        self.kind = kind
        self.url = database_url(target) if kind in IN_DATABASES else ""
        self.folder = folder
        self._prepare = _do_nothing if is_prepared else prepare_database
        self.tick = 1.01 if kind == "sqlite" else 0.01
        """Seconds in which the clock of runs goes on: that of SQLite has whole seconds."""

    @asynccontextmanager
    async def opened(
        self,
        change: Callable[[CountingHost], None] | None = None,
        worker: Any = None,
        session: Any = None,
        retries: Retries = QUICK,
        **settings: Any,
    ) -> AsyncGenerator[Running]:
        late: Any = LateEngine()
        made = app.host(late, self.folder, **settings)
        host = CountingHost(made.runtime, dict(made.planners), **({"session": session} if session else {}))
        host.activities, host.runs_seen = [], []
        if change is not None:
            change(host)
        if self.kind == "local":
            late.engine = local = LocalEngine(host, retries)
            yield Running(local, host, self.folder)
            return
        assert self.kind in IN_DATABASES, f"no branch opens the engine {self.kind}"
        poll = 0.05 if self.kind == "sqlite" else 0.1  # it is asked for signals, too
        opened = DbosWorker(host, self.url, **{"retries": retries, "poll": poll, "tool_wait": 0, **(worker or {})})
        with patch.object(dbos_worker, "prepare_database", self._prepare):
            await opened.start()
        try:
            late.engine = engine = DbosEngine(self.url, poll=0.05)
            try:
                yield Running(engine, host, self.folder, opened)
            finally:
                await engine.close()
        finally:
            await opened.stop(grace=1)  # tests leave calls that would take a minute

    def prepare(self) -> None:
        """Create the tables of an engine, before one is opened."""
        self._prepare(self.url)

    def run(self, body: Callable[[Running], Awaitable[None]], **settings: Any) -> None:
        """Run a test in an event loop, with an open engine."""

        async def main() -> None:
            async with asyncio.timeout(60), self.opened(**settings) as running:
                await body(running)

        asyncio.run(main())


_PREPARED = "prepared"


@pytest.fixture(scope="session")
def prepared_postgres(shared_postgres: PostgresServer) -> str:
    """Return a database with the tables of an engine, to be copied: to create them takes longer than most tests.

    All processes of a test session have one, which the first of them makes.
    """
    with psycopg.connect(shared_postgres.url(), autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(1)")
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [_PREPARED]).fetchone():
            url = shared_postgres.new_database()
            prepare_database(database_url(url))
            with psycopg.connect(url, autocommit=True) as made:
                made.execute("VACUUM (FREEZE)")  # else each copy would be written again by those who read it
                name = made.info.dbname
            connection.execute(SQL("ALTER DATABASE {} RENAME TO {}").format(Identifier(name), Identifier(_PREPARED)))
    return _PREPARED


@pytest.fixture
def prepared_url(shared_postgres: PostgresServer, prepared_postgres: str) -> Iterator[str]:
    """Return the URL of a database with the tables of an engine."""
    url = shared_postgres.new_database(like=prepared_postgres)
    yield url
    shared_postgres.drop(url)


def _do_nothing(_url: str) -> None:
    """Prepare a database that is prepared."""


@pytest.fixture(params=[SQLITE_LATER if kind == "sqlite" else kind for kind in KINDS])
def engines(request: pytest.FixtureRequest, tmp_path: Path) -> Engines:
    """Return the engine of each kind in turn."""
    return engines_of(request.param, request, tmp_path)


@pytest.fixture(params=[SQLITE_LATER, "postgres"])
def durable(request: pytest.FixtureRequest, tmp_path: Path) -> Engines:
    """Return each engine that keeps runs in a database, in turn."""
    return engines_of(request.param, request, tmp_path)


def engines_of(kind: str, request: pytest.FixtureRequest, folder: Path) -> Engines:
    """Return the engine of a kind, with a database of its own."""
    if kind == "postgres":
        return Engines(kind, request.getfixturevalue("prepared_url"), folder, is_prepared=True)
    return Engines(kind, str(folder / "runs.sqlite"), folder)
