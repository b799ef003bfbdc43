"""Workers that stand still and go on: others take over their runs, and they begin no call of these any more."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import time
from contextlib import closing, contextmanager
from functools import partial
from multiprocessing import Process
from typing import TYPE_CHECKING, Any, Final

import pytest
import sqlalchemy as sa

from tests.unit.engine import app
from tests.unit.engine.app import read, request
from tests.unit.engine.dbos.workers import Workers
from tests.unit.engine.engines import until
from toolgen.engine.dbos import database_url

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

_RUNS: Final = 12
_ADOPTED_WITHIN: Final = 10.0
"""Seconds after which the runs of a frozen worker are those of another, where the cores have time for it."""

_LOST: Final = "has lost its lease"

_DRAWN: Final = {
    "postgresql": "SELECT last_value FROM toolgen_fencing_tokens",
    "sqlite": "SELECT token FROM toolgen_fencing_token",
}
_RUNS_IN: Final = {"postgresql": "dbos.workflow_status", "sqlite": "workflow_status"}


class Freezes:
    """Two workers, and runs that make one call after another, each of which is on record with its token."""

    def __init__(self, url: str, folder: Path) -> None:
        self.workers = Workers(url, folder)
        self.adoptions: list[float] = []
        waits = {} if "postgresql" in url else {"timeout": 60}  # an SQLite file serves nobody in turn
        self._database = sa.create_engine(database_url(url), poolclass=sa.NullPool, connect_args=waits)
        self._drawn = _DRAWN[self._database.dialect.name]
        runs = _RUNS_IN[self._database.dialect.name]
        self._of_worker = f"SELECT workflow_uuid FROM {runs} WHERE status = 'PENDING' AND executor_id = :worker"  # noqa: S608  # of this test
        self._answered = f"SELECT workflow_uuid FROM {runs} WHERE status = 'SUCCESS'"  # noqa: S608  # of this test

    async def go(self, freezes: int) -> None:
        workers = self.workers
        async with workers.opened() as engine:
            names = [workers.start(), workers.start()]
            for name in names:
                await until(partial(self._is_ready, name))
            turns = [[read(f"slow-{0.3 + turn % 3 / 10}")] for turn in range(400)]
            for _ in range(_RUNS):
                await engine.start(request(*turns, max_turns=401))
            for _ in range(freezes):
                await until(lambda: any(map(self._runs_of, names)))
                healthy, frozen = sorted(names, key=self._runs_of)  # one worker may have been the first to look for all
                await until(partial(self._calls, self._last_call(), "pid = ?", workers.running[frozen].pid))
                lost = {name: workers.said(name).count(_LOST) for name in names}
                await self._freeze(frozen)
                assert workers.said(healthy).count(_LOST) == lost[healthy]
                assert workers.said(frozen).count(_LOST) == lost[frozen] + 1
            # A call that was in flight is made again with the token of its next execution. Where the first attempt was
            # to come only after that, its token tells that it is late.
            again = "SELECT count(*) FROM attempts a JOIN attempts b ON a.key = b.key AND a.rowid < b.rowid"
            ((repeated, late),) = app.rows(workers.folder, f"SELECT ({again}), ({again} AND a.token >= b.token)")
            assert repeated > 0
            assert late <= freezes

    async def _freeze(self, name: str) -> None:
        """Let a worker stand still until its runs are those of another, and go on."""
        workers = self.workers
        process = workers.running[name]
        process.send_signal(signal.SIGSTOP)
        while not self._may_write():  # it stands still amid a write, which nobody can end
            process.send_signal(signal.SIGCONT)
            await asyncio.sleep(0.1)
            process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        before, adopted = self._value(self._drawn), {*self._ids(self._of_worker, name)}
        await until(lambda: not self._runs_of(name))
        self.adoptions.append(time.monotonic() - began)
        drawn = self._value(self._drawn)
        seen = self._last_call()
        process.send_signal(signal.SIGCONT)
        await until(lambda: self._value("SELECT beats FROM toolgen_workers WHERE worker = :worker", name) > 0)
        await until(lambda: adopted <= self._went_on(seen, before), seconds=300)  # somebody goes on with each
        # What it was doing in the moment in which it was stopped is in flight: a call after its guard, if it was there.
        assert self._calls(seen, "token <= ? AND pid = ?", drawn, process.pid) <= 1

    def _is_ready(self, name: str) -> bool:
        return "executes runs" in self.workers.said(name)

    def _last_call(self) -> int:
        ((last,),) = app.rows(self.workers.folder, "SELECT coalesce(max(rowid), 0) FROM attempts")
        return int(last)

    def _calls(self, after: int, which: str, *values: int) -> int:
        query = f"SELECT count(*) FROM attempts WHERE rowid > ? AND {which}"  # noqa: S608  # of this test
        with closing(app.opened(self.workers.folder)) as database:
            return int(database.execute(query, [after, *values]).fetchone()[0])

    def _went_on(self, after: int, token: int) -> set[str]:
        """Return the runs that have made another call, or have their answer."""
        query = "SELECT run FROM attempts WHERE rowid > ? AND token > ?"
        with closing(app.opened(self.workers.folder)) as database:
            called = {run_id for (run_id,) in database.execute(query, [after, token])}
        return called | {*self._ids(self._answered)}

    def _runs_of(self, name: str) -> int:
        return len(self._ids(self._of_worker, name))

    def _may_write(self) -> bool:
        """Return whether others can write: an SQLite file, as that of the tools' marks, has one writer at a time."""
        files = [str(self.workers.folder / app.MARKS)]
        if self._database.dialect.name == "sqlite":
            files.append(self.workers.database)
        try:
            for file in files:
                with closing(sqlite3.connect(file, timeout=1)) as connection:
                    connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            return False
        return True

    def _value(self, query: str, worker: str = "") -> int:
        return int(([*self._ids(query, worker)] or [0])[0])

    def _ids(self, query: str, worker: str = "") -> list[Any]:
        with self._database.connect() as connection:
            return [*connection.execute(sa.text(query), {"worker": worker} if worker else {}).scalars()]


def _spin() -> None:
    while True:
        pass


@contextmanager
def busy_cores() -> Generator[None]:
    """Have twice as many processes as there are cores do nothing else but compute."""
    processes = [Process(target=_spin, daemon=True) for _ in range(2 * (os.cpu_count() or 1))]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.join()


def _round(url: str, folder: Path, count: int) -> Freezes:
    freezes = Freezes(url, folder)
    try:
        asyncio.run(freezes.go(count))
    finally:
        freezes.workers.kill_all()
    return freezes


def test_frozen_workers_are_adopted_and_begin_no_call_when_they_go_on(prepared_url: str, tmp_path: Path) -> None:
    _round(prepared_url, tmp_path, 3)


@pytest.mark.long
def test_frozen_workers_of_an_sqlite_file_are_adopted_unless_they_stand_still_amid_a_write(tmp_path: Path) -> None:
    _round(str(tmp_path / "runs.sqlite"), tmp_path, 5)


@pytest.mark.long
def test_all_of_20_frozen_workers_are_adopted_in_ten_seconds(prepared_url: str, tmp_path: Path) -> None:
    freezes = _round(prepared_url, tmp_path, 20)
    assert max(freezes.adoptions) < _ADOPTED_WITHIN, freezes.adoptions


@pytest.mark.long
def test_all_of_20_frozen_workers_are_adopted_while_the_machine_is_busy(prepared_url: str, tmp_path: Path) -> None:
    with busy_cores():
        _round(prepared_url, tmp_path, 20)
