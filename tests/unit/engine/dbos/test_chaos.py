"""Chaos: workers are killed and frozen, clocks jump, networks are cut, the database stops, its disk is full.

Every run ends, with each effect once. Meanwhile a person answers what is asked, and another cancels runs and thinks
better of it. The seed decides what happens; how far the runs have come by then differs.

What looks at the runs is one statement every so often, not a question for each run: it must take less of the processor
than the workers do, or it would slow what it tests.
"""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, get_args

import psycopg
import pytest

from tests.programs.disks import full_disk, small_disk
from tests.programs.networks import Cut, Network
from tests.unit.cli.forked_python import forked_python
from tests.unit.engine import app
from tests.unit.engine.app import read, request, search, write
from tests.unit.engine.dbos.workers import JUMPING, Workers
from tests.unit.engine.engines import until
from toolgen.engine.dbos import DbosEngine, database_url, prepare_database
from toolgen.engine.protocol import NotAsked, NotResumable
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.programs.postgres import PostgresServer

_ALLOW: Final = PermissionDecision(decision=Decision.ALLOW_ONCE)
_STEPS: Final = 5

_DISK: Final = 128 << 20
"""The size of the disk of the database, in bytes: 500 runs fit."""

_EVENTS: Final = ("kill", "kill", "freeze", "database", "disk", "clock", "network", "network")

_HANGS_AFTER: Final = 600
"""Seconds after which a round hangs, also on a busy machine, besides two for each run."""

_LOOK: Final = 0.5
"""Seconds between two looks at the runs."""

_LEFT: Final = (
    "SELECT count(*) FROM dbos.workflow_status WHERE workflow_uuid NOT LIKE '%.%'"  # those of calls stay as they ended
    " AND status IN ('DELAYED', 'ENQUEUED', 'PENDING', 'CANCELLED')"
)
_OF_WORKER: Final = "SELECT count(*) FROM dbos.workflow_status WHERE status = 'PENDING' AND executor_id = %s"


class Chaos:
    """One round."""

    def __init__(self, seed: int, server: PostgresServer, disk: Path, folder: Path, workers: int) -> None:
        self.random = random.Random(seed)
        self.server = server
        self.disk = disk
        self.folder = folder
        self.url = server.new_database(disk)
        self.workers = Workers(self.url, folder)
        self.network = Network(server.socket)
        self.count = workers
        self.events: list[str] = []
        self.writes = 0
        self._behind = ""

    async def round(self, runs: int, *, passes: int) -> None:
        url = database_url(self.url)
        await asyncio.to_thread(prepare_database, url)
        async with self.network.opened(), asyncio.timeout(_HANGS_AFTER + 2 * runs):
            self._behind = self.workers.start(JUMPING, database=self.network.url(self.url))
            for _ in range(self.count - 1):
                self.workers.start(JUMPING)
            await until(self._have_begun, seconds=_HANGS_AFTER)
            engine = DbosEngine(url)
            try:
                await self._round(engine, [await engine.start(self._request(number)) for number in range(runs)], passes)
            finally:
                await engine.close()

    async def _round(self, engine: DbosEngine, ids: list[str], passes: int) -> None:
        ended = asyncio.create_task(self._until_none(2 * _LOOK, _LEFT))
        others = [
            asyncio.create_task(self._answer(engine)),
            asyncio.create_task(self._cancel_and_resume(engine, ids)),
        ]
        try:
            for _ in range(passes):
                await self._disturb(ended)
            await ended
        finally:
            for task in (ended, *others):
                task.cancel()
            await asyncio.wait([ended, *others])
        for number, run_id in enumerate(ids):
            end = await engine.result(run_id)
            assert (end.stopped, end.value) == ("completed", number), (end, self.events)
            failed = [message.content for message in end.messages if message.is_error]
            assert not failed, (failed, self.events, await self._rows(run_id))
        effects = app.rows(self.folder, "SELECT key FROM effects")
        assert len(effects) == self.writes

    def _have_begun(self) -> bool:
        return all("executes runs" in self.workers.said(name) for name in self.workers.running)

    async def _until_none(self, pause: float, query: str, *values: str) -> None:
        """Wait until a query counts none; the database may be away meanwhile."""
        await until(
            lambda: _retried(partial(self._count, query, *values)),
            lambda count: count == 0,
            seconds=10 * _HANGS_AFTER,
            pause=pause,
        )

    async def _rows(self, run_id: str) -> list[Any]:
        """Return what the database has of a run and the runs that its calls started."""
        query = "SELECT * FROM dbos.workflow_status WHERE starts_with(workflow_uuid, %s) ORDER BY workflow_uuid"
        async with await psycopg.AsyncConnection.connect(self.url) as connection:
            return await (await connection.execute(query, [run_id])).fetchall()

    async def _count(self, query: str, *values: str) -> int:
        async with await psycopg.AsyncConnection.connect(self.url) as connection:
            found = await (await connection.execute(query.encode(), values or None)).fetchone()
        return int(found[0]) if found is not None else 0

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

    async def _answer(self, engine: DbosEngine) -> None:
        """Be the person who allows every call."""
        while True:
            with suppress(NotAsked, OSError, LookupError, RuntimeError):
                for info in await _retried(lambda: engine.runs(states=["waiting"])):
                    for approval in await _retried(partial(engine.approvals, info.run_id)):
                        await engine.decide(approval.run_id, approval.id, _ALLOW, by="ann")
            await asyncio.sleep(2 * _LOOK)

    async def _cancel_and_resume(self, engine: DbosEngine, ids: list[str]) -> None:
        """Be the person who cancels a run now and then, and has it resumed."""
        moments = random.Random(self.random.random())
        while True:
            await asyncio.sleep(moments.uniform(1, 3))
            run_id = moments.choice(ids)
            await _retried(partial(engine.cancel, run_id))
            await asyncio.sleep(moments.choice([0, moments.uniform(0, 1.5)]))
            while (await _retried(partial(engine.info, run_id))).state == "cancelled":
                with suppress(NotResumable):  # the answer of the database to the last try was lost
                    await engine.resume(run_id)
                await asyncio.sleep(0.1)

    async def _disturb(self, ended: asyncio.Future[Any]) -> None:
        """Let happen what may, until the runs have ended."""
        meanwhile: list[asyncio.Task[None]] = []
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
                    meanwhile.append(asyncio.create_task(self._freeze(name)))
                case "network":
                    cut: Cut = self.random.choice(get_args(Cut))
                    self.events[-1] = cut
                    meanwhile.append(asyncio.create_task(self.network.cut(cut, self.random.choice([1, 7]))))
                case "clock":
                    self.workers.set_clock(name, self.random.choice([-1, 1]) * 24 * 3600)
                case "database":
                    await asyncio.to_thread(self.server.restart, immediate=True)
                case _:
                    with full_disk(self.disk):
                        await asyncio.sleep(3)
        await asyncio.gather(*meanwhile)

    async def _kill(self, name: str) -> None:
        """Kill a worker, once there is one more, and wait until its runs are those of others."""
        is_behind = name == self._behind
        other = self.workers.start(JUMPING, database=self.network.url(self.url) if is_behind else "")
        if is_behind:
            self._behind = other
        await until(lambda: "executes runs" in self.workers.said(other), seconds=_HANGS_AFTER)
        self.workers.kill(name)
        await self._until_none(_LOOK / 2, _OF_WORKER, name)

    async def _freeze(self, name: str) -> None:
        """Let a worker stand still for so long that others take its runs, and then go on."""
        process = self.workers.running[name]
        process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(7)
        process.send_signal(signal.SIGCONT)  # unless it was killed


async def _retried(look: Callable[[], Any]) -> Any:
    """Look again while the database is away."""
    async with asyncio.timeout(_HANGS_AFTER):
        while True:
            try:
                return await look()
            except Exception:  # noqa: BLE001  # of the database's driver
                await asyncio.sleep(_LOOK)


def _round(seed: int, server: PostgresServer, folder: Path, *, workers: int, runs: int, passes: int = 1) -> None:
    disk = server.folder / "disk"
    disk.mkdir()
    with small_disk(disk, _DISK):
        chaos = Chaos(seed, server, disk, folder, workers)
        try:
            asyncio.run(chaos.round(runs, passes=passes))
        finally:
            chaos.workers.kill_all()


@pytest.mark.long
@pytest.mark.parametrize(("seed", "workers"), [(1, 2), (2, 4)])
def test_every_run_ends_whatever_happens(
    seed: int, workers: int, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    _round(seed, postgres_server, tmp_path, workers=workers, runs=50)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_all_of_500_runs_end_whatever_happens(seed: int, postgres_server: PostgresServer, tmp_path: Path) -> None:
    before = time.process_time(), _used_by_workers()
    _round(seed, postgres_server, tmp_path, workers=2 if seed % 2 else 4, runs=500, passes=4)
    assert time.process_time() - before[0] < 0.5 * (_used_by_workers() - before[1])


_ENDED: Final = """
import os
ticks = open(f"/proc/{os.getppid()}/stat").read().rpartition(")")[2].split()[13:15]
print(sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"))
"""


def _used_by_workers() -> float:
    """Return the processor time of the workers that have ended, in seconds, by the process that forks them."""
    done = subprocess.run([forked_python(), "-c", _ENDED], capture_output=True, text=True, check=True)
    return float(done.stdout)
