"""Chaos: workers are killed and frozen, clocks jump, the database is stopped, its disk is full, and every run ends.

Meanwhile a person answers what is asked, and another cancels runs and thinks better of it. The seed decides what
happens; how far the runs have come by then differs.
"""

from __future__ import annotations

import asyncio
import random
import signal
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import psycopg
import pytest

from tests.programs.disks import full_disk, small_disk
from tests.unit.engine import app
from tests.unit.engine.app import read, request, search, write
from tests.unit.engine.dbos.workers import JUMPING, Workers
from tests.unit.engine.engines import until
from toolgen.engine.dbos import DbosEngine, database_url, prepare
from toolgen.engine.protocol import NotAsked, NotResumable, RunCancelled, RunFailed
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.programs.postgres import PostgresServer
    from toolgen.engine import RunEnd

_ALLOW: Final = PermissionDecision(decision=Decision.ALLOW_ONCE)
_STEPS: Final = 5
_ADOPTED_WITHIN: Final = 10.0
"""Seconds after which the runs of a killed worker must be those of another."""

_DISK: Final = 128 << 20
"""The size of the disk of the database, in bytes: 500 runs fit."""

_EVENTS: Final = ("kill", "kill", "freeze", "database", "disk", "clock")


class Chaos:
    """One round."""

    def __init__(self, seed: int, server: PostgresServer, disk: Path, folder: Path, workers: int) -> None:
        self.random = random.Random(seed)  # noqa: S311  # of tests
        self.server = server
        self.disk = disk
        self.folder = folder
        self.url = server.new_database(disk)
        self.workers = Workers(self.url, folder)
        self.count = workers
        self.events: list[str] = []
        self.adoptions: list[float] = []
        self.writes = 0

    async def round(self, runs: int) -> None:
        url = database_url(self.url)
        await asyncio.to_thread(prepare, url)
        for _ in range(self.count):
            self.workers.start(JUMPING)
        await until(lambda: all("executes runs" in self.workers.said(name) for name in self.workers.running))
        engine = DbosEngine(url, poll=max(0.2, runs / 100))  # 500 that ask five times a second are a load of their own
        ids = [await engine.start(self._request(number)) for number in range(runs)]
        ended = asyncio.gather(*(self._result(engine, run_id) for run_id in ids))
        persons = [asyncio.create_task(self._answer(engine)), asyncio.create_task(self._cancel_and_resume(engine, ids))]
        try:
            await self._disturb(ended)
            async with asyncio.timeout(120 + runs):  # two cores take two to four runs a second
                ends = await ended
        finally:
            ended.cancel()
            for person in persons:
                person.cancel()
            await asyncio.wait(persons)
            await engine.close()
        for number, end in enumerate(ends):
            assert (end.stopped, end.value) == ("completed", number), (end, self.events)
            assert not [message for message in end.messages if message.is_error], (end, self.events)
        effects = app.rows(self.folder, "SELECT key FROM effects")
        assert len(effects) == self.writes
        assert all(seconds < _ADOPTED_WITHIN for seconds in self.adoptions), (self.adoptions, self.events)

    def _request(self, number: int) -> Any:
        """Return a run of five turns: reads, slow ones, those that fail at first, writes that ask, and agents."""
        turns: list[Any] = []
        for turn in range(_STEPS):
            kind = self.random.choice(["read", "slow", "flaky", "write", *["agent"] * (turn < 3)])  # a run has few
            path = f"{number}.{turn}"
            self.writes += kind == "write"
            calls = {
                "read": read(path),
                "slow": read(f"slow-{self.random.uniform(0, 4):.1f}"),
                "flaky": read(f"flaky-{path}"),
                "write": write(path),
                "agent": search([("router.web_search", {"query": path})]),
            }
            turns.append([calls[kind]])
        return request(*turns, answer=number, user=f"user{number % 7}")

    async def _result(self, engine: DbosEngine, run_id: str) -> RunEnd:
        """Wait for a run; the database may be away meanwhile, and the run be cancelled for a while."""
        while True:
            try:
                return await engine.result(run_id)
            except RunCancelled:
                await asyncio.sleep(0.5)
            except RunFailed:
                raise
            except Exception as error:  # noqa: BLE001  # of the database's driver
                self.events.append(f"waiting: {type(error).__name__}")
                await asyncio.sleep(0.5)

    async def _answer(self, engine: DbosEngine) -> None:
        """Be the person who allows every call."""
        while True:
            with suppress(NotAsked, OSError, LookupError, RuntimeError):
                for info in await _retried(lambda: engine.runs(states=["waiting"])):
                    for approval in await _retried(partial(engine.approvals, info.run_id)):
                        await engine.decide(approval.run_id, approval.id, _ALLOW, by="ann")
            await asyncio.sleep(0.2)

    async def _cancel_and_resume(self, engine: DbosEngine, ids: list[str]) -> None:
        """Be the person who cancels a run now and then, and has it resumed."""
        moments = random.Random(self.random.random())  # noqa: S311  # of tests
        while True:
            await asyncio.sleep(moments.uniform(0.2, 1))
            run_id = moments.choice(ids)
            await _retried(partial(engine.cancel, run_id))
            await asyncio.sleep(moments.choice([0, moments.uniform(0, 1.5)]))
            while (await _retried(partial(engine.info, run_id))).state == "cancelled":
                with suppress(NotResumable):  # the answer of the database to the last try was lost
                    await engine.resume(run_id)
                await asyncio.sleep(0.1)

    async def _disturb(self, ended: asyncio.Future[Any]) -> None:
        """Let happen what may, until the runs have ended."""
        frozen = None
        for event in self.random.sample(_EVENTS, len(_EVENTS)):
            await asyncio.sleep(self.random.uniform(0.2, 1.5))
            if ended.done():
                break
            self.events.append(event)
            name = self.random.choice(sorted(self.workers.running))
            match event:
                case "kill":
                    await self._kill(name)
                case "freeze":
                    frozen = asyncio.create_task(self._freeze(name))  # meanwhile more happens
                case "clock":
                    self.workers.set_clock(name, self.random.choice([-1, 1]) * 24 * 3600)
                case "database":
                    await asyncio.to_thread(self.server.restart, immediate=True)
                case _:
                    with full_disk(self.disk):
                        await asyncio.sleep(3)
        if frozen is not None:
            await frozen

    async def _kill(self, name: str) -> None:
        """Kill a worker, once there is one more, and measure until its runs are those of others."""
        other = self.workers.start(JUMPING)
        await until(lambda: "executes runs" in self.workers.said(other))
        self.workers.kill(name)
        killed = time.monotonic()
        await until(lambda: _retried(lambda: asyncio.to_thread(self._runs_of, name)), lambda count: count == 0)
        self.adoptions.append(time.monotonic() - killed)

    def _runs_of(self, name: str) -> int:
        """Return how many runs a worker has that have not ended."""
        with psycopg.connect(self.url) as connection:
            query = "SELECT count(*) FROM dbos.workflow_status WHERE status = 'PENDING' AND executor_id = %s"
            (count,) = connection.execute(query, [name]).fetchone() or (0,)
        return int(count)

    async def _freeze(self, name: str) -> None:
        """Let a worker stand still for so long that others take its runs, and then go on."""
        process = self.workers.running[name]
        process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(7)
        process.send_signal(signal.SIGCONT)  # unless it was killed


async def _retried(look: Callable[[], Any]) -> Any:
    """Look again while the database is away."""
    async with asyncio.timeout(60):
        while True:
            try:
                return await look()
            except Exception:  # noqa: BLE001  # of the database's driver
                await asyncio.sleep(0.2)


def _round(seed: int, server: PostgresServer, folder: Path, *, workers: int, runs: int) -> None:
    disk = server.folder / "disk"
    disk.mkdir()
    with small_disk(disk, _DISK):
        chaos = Chaos(seed, server, disk, folder, workers)
        try:
            asyncio.run(chaos.round(runs))
        finally:
            chaos.workers.kill_all()


@pytest.mark.parametrize(("seed", "workers"), [(1, 2), pytest.param(2, 4, marks=pytest.mark.long)])
def test_every_run_ends_whatever_happens(
    seed: int, workers: int, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    _round(seed, postgres_server, tmp_path, workers=workers, runs=20)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_all_of_500_runs_end_whatever_happens(seed: int, postgres_server: PostgresServer, tmp_path: Path) -> None:
    _round(seed, postgres_server, tmp_path, workers=2 if seed % 2 else 4, runs=500)
