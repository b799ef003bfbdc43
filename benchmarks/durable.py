"""Durable runs on a real Postgres, beside plain DBOS that does the same steps: latency, throughput, what they store.

How long it takes until the runs of a killed worker are in the queue again is measured of toolgen alone: plain DBOS
takes over nothing by itself.

Both sides run in turn, with the same settings of the queue and the same serializer. Without Postgres nothing is
measured, and the report has the reason.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any, Final

import psycopg
import pytest

from benchmarks.measured.durable_runs import PLAIN, STEPS, TURNS, plain_request, run_request
from benchmarks.processes import ROOT, report_of, summary
from tests.programs.postgres import new_server
from toolgen.engine import DbosEngine, database_url, prepare_database
from toolgen.engine.dbos.database import APPLICATION, QUEUE, VERSION, open_client

if TYPE_CHECKING:
    from benchmarks.projects import Projects
    from benchmarks.scale import Scale
    from tests.programs.postgres import PostgresServer

SIDES: Final = ("plain", "toolgen")
CONCURRENCY: Final = 20
_ROUNDS: Final = 3
"""Rounds at most, so that all of it takes eight minutes on a quiet machine."""

_BATCH: Final = 20
"""Runs that are started one after the other on one side, before it is the other's turn."""

_PAUSE: Final = 0.2
"""Seconds between two of them: less than half of what one worker does."""

_DEATHS: Final = 4
"""Workers that are killed in each round. It takes about five seconds until the runs of one are taken over."""

_ENDED: Final = "SELECT count(*) FROM dbos.workflow_status WHERE status = 'SUCCESS'"
_FAILED: Final = "SELECT count(*) FROM dbos.workflow_status WHERE status NOT IN ('ENQUEUED', 'PENDING', 'SUCCESS')"
_HELD: Final = "SELECT count(*) FROM dbos.workflow_status WHERE status = 'PENDING' AND executor_id = %s"
_TIMES: Final = (
    "SELECT completed_at - created_at, completed_at - started_at_epoch_ms "
    "FROM dbos.workflow_status WHERE workflow_uuid LIKE %s"
)
_CONNECTIONS: Final = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
)
_TABLES: Final = ("workflow_status", "workflow_input", "workflow_output", "operation_outputs")


def measure(scale: Scale, projects: Projects) -> dict[str, Any]:
    """Return the report. `durable_runs` of a scale are the runs of one measurement, `runs` the rounds of all."""
    folder = projects.built(scale.calls[0])
    try:
        with new_server() as server:
            return asyncio.run(_measure(server, folder, scale))
    except pytest.skip.Exception as missing:
        return {"skipped": str(missing)}


async def _measure(server: PostgresServer, folder: Path, scale: Scale) -> dict[str, Any]:
    bench, count = Bench(server, folder, scale.durable_runs), min(scale.runs, _ROUNDS)
    rounds = [
        {workers: await bench.both(workers, turned=number % 2 == 1) for workers in scale.workers}
        for number in range(count)
    ]
    report: dict[str, Any] = {
        "runs": scale.durable_runs,
        "steps_of_a_run": STEPS,
        "throughput": {workers: _compared([each[workers] for each in rounds]) for workers in scale.workers},
        "milliseconds": await bench.latency(count, min(_BATCH, scale.durable_runs)),
        "idle_worker": {side: await bench.idle(side) for side in SIDES},
        "takeover_seconds": summary(await bench.takeovers(count * _DEATHS), digits=2),
        "in_process_us": report_of(folder, "-m", "benchmarks.measured.durable_steps", str(scale.repeats)),
    }
    _set(server, fsync="on", full_page_writes="on")
    most = scale.workers[-1]
    flushed = [await bench.both(most, turned=number % 2 == 1) for number in range(count)]
    return {**report, "throughput_with_fsync": {most: _compared(flushed)}}


def _compared(rounds: Sequence[dict[str, dict[str, float]]]) -> dict[str, Any]:
    """Return the medians of each side, and the ratios of the throughput of toolgen."""
    figures = {
        side: {name: round(median(each[side][name] for each in rounds), 3) for name in rounds[0][side]}
        for side in SIDES
    }
    ratios = [each["toolgen"]["runs_per_second"] / each["plain"]["runs_per_second"] for each in rounds]
    return {**figures, "ratio": summary(ratios, digits=3)}


class Bench:
    """Measurements on one server. `runs` are those of one measurement of the throughput."""

    def __init__(self, server: PostgresServer, folder: Path, runs: int) -> None:
        self._server: Final = server
        self._folder: Final = folder
        self._runs: Final = runs

    async def both(self, workers: int, *, turned: bool) -> dict[str, dict[str, float]]:
        """Measure both sides, in the other order if `turned`: the load of the machine changes meanwhile."""
        return {side: await self.throughput(side, workers) for side in (SIDES[::-1] if turned else SIDES)}

    async def throughput(self, side: str, workers: int) -> dict[str, float]:
        """Let workers execute all runs, which they may take from one moment on, after others that warm them up."""
        url = self._database()
        starter = Starter(side, url)
        warming = workers * CONCURRENCY  # as many as they take at once
        for number in range(warming):
            await starter.start(f"warm-{number}")
        for number in range(self._runs):
            await starter.start(f"run-{number}")
        await starter.close()
        with psycopg.connect(url, autocommit=True) as database:
            _move(database, "%", "parked")
            with self._working(side, url, workers) as working:
                _move(database, "warm-%", QUEUE)
                await _until_ended(database, warming)
                before = self._used(working), _cpu(self._server), _logged(database)
                _move(database, "run-%", QUEUE)
                begin = time.perf_counter()
                await _until_ended(database, warming + self._runs)
                seconds = time.perf_counter() - begin
                after = self._used(working), _cpu(self._server), _logged(database)
                connections = _value(database, _CONNECTIONS)
            used, server_used, logged = (late - early for early, late in zip(before, after, strict=True))
            steps, calls = self._runs * STEPS, self._runs * TURNS
            return {
                "runs_per_second": self._runs / seconds,
                "calls_per_second": calls / seconds,
                "worker_cpu_ms_per_step": used / steps * 1e3,
                "server_cpu_ms_per_step": server_used / steps * 1e3,
                "wal_bytes_per_call": logged / calls,
                "connections_per_worker": connections / workers,
                **{name: value / (warming + self._runs) / TURNS for name, value in _stored(database).items()},
            }

    async def latency(self, rounds: int, batch: int) -> dict[str, Any]:
        """Measure runs that are started every so often, from queue to result and from worker to result."""
        urls = {side: self._database() for side in SIDES}
        starters = {side: Starter(side, url) for side, url in urls.items()}
        waited: dict[str, list[tuple[int, int]]] = {side: [] for side in SIDES}
        with self._working("plain", urls["plain"], 1), self._working("toolgen", urls["toolgen"], 1):
            for number in range(rounds * 2 + 1):
                for side in SIDES:
                    with psycopg.connect(urls[side], autocommit=True) as database:
                        for place in range(batch):
                            await starters[side].start(f"run-{number}-{place}")
                            await asyncio.sleep(_PAUSE)
                        await _until_ended(database, (number + 1) * batch)
                        found = database.execute(_TIMES, (f"run-{number}-%",)).fetchall()
                        waited[side] += found if number else []  # the first batch is for warming up
        for starter in starters.values():
            await starter.close()
        return {
            side: {
                "queue_to_result": _percentiles([whole for whole, _ in found]),
                "worker_to_result": _percentiles([executed for _, executed in found]),
            }
            for side, found in waited.items()
        }

    async def idle(self, side: str, seconds: float = 5.0) -> dict[str, float]:
        """Measure what a worker costs that has nothing to do."""
        url = self._database()
        with psycopg.connect(url, autocommit=True) as database, self._working(side, url, 1) as working:
            await asyncio.sleep(2)
            before = self._used(working), _cpu(self._server), _transactions(database)
            await asyncio.sleep(seconds)
            after = self._used(working), _cpu(self._server), _transactions(database)
        names = ("worker_cpu_ms_per_second", "server_cpu_ms_per_second", "transactions_per_second")
        return {
            name: round((late - early) / seconds * (1e3 if "cpu" in name else 1), 2)
            for name, early, late in zip(names, before, after, strict=True)
        }

    async def takeovers(self, deaths: int) -> list[float]:
        """Kill workers that execute runs, and return the seconds until others may take these runs, for each."""
        url = self._database()
        starter = Starter("toolgen", url)
        waited: list[float] = []
        started = 0
        with psycopg.connect(url, autocommit=True) as database, self._working("toolgen", url, 1):
            while len(waited) < deaths:
                with self._working("toolgen", url, 1) as [dying]:
                    while not _held(database, dying):
                        await starter.start(f"run-{started}")
                        started += 1
                    dying.kill()
                    begin = time.perf_counter()
                    is_measured = _held(database, dying)  # unless its runs ended before it was killed
                    await _until_taken_over(database, dying)
                    waited += [time.perf_counter() - begin] if is_measured else []
                    await _until_ended(database, started)
        await starter.close()
        return waited

    def _database(self) -> str:
        url = self._server.new_database()
        prepare_database(database_url(url))
        return url

    @contextmanager
    def _working(self, side: str, url: str, count: int) -> Iterator[list[Worker]]:
        """Run workers, all of which execute runs already."""
        workers = [Worker(side, url, self._folder) for _ in range(count)]
        try:
            for worker in workers:
                worker.wait()
            yield workers
        finally:
            for worker in workers:
                worker.stop()

    def _used(self, workers: Sequence[Worker]) -> float:
        return sum(worker.cpu() for worker in workers)


class Worker:
    """A worker process, whose runs have its id as their executor."""

    def __init__(self, side: str, url: str, folder: Path) -> None:
        module = "benchmarks.measured.durable_worker"
        self._process: Final = subprocess.Popen(
            [sys.executable, "-m", module, side, database_url(url), str(CONCURRENCY)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    @property
    def executor(self) -> str:
        return str(self._process.pid)

    def wait(self) -> None:
        """Wait until it executes runs. Raises RuntimeError if it ends instead."""
        if not self._read():
            raise RuntimeError("a worker has ended; its error is above")

    def cpu(self) -> float:
        """Return the seconds of processor time that it has used."""
        if self._process.stdin is not None:
            self._process.stdin.write("\n")
            self._process.stdin.flush()
        return float(self._read())

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        self._process.communicate()

    def _read(self) -> str:
        return "" if self._process.stdout is None else self._process.stdout.readline()


class Starter:
    """Enqueues runs of one side."""

    def __init__(self, side: str, url: str) -> None:
        self._is_plain: Final = side == "plain"
        self._engine: Final = DbosEngine(database_url(url))
        self._client: Final = open_client(database_url(url))

    async def start(self, run_id: str) -> None:
        if not self._is_plain:
            await self._engine.start(run_request(run_id))
            return
        await self._client.enqueue_async(
            {
                "workflow_name": PLAIN,
                "queue_name": QUEUE,
                "workflow_id": run_id,
                "app_version": VERSION,
                "application_name": APPLICATION,
            },
            plain_request(),
        )

    async def close(self) -> None:
        await self._engine.close()
        await asyncio.to_thread(self._client.destroy)


def _percentiles(milliseconds: Sequence[int]) -> dict[str, float]:
    cuts = quantiles(milliseconds, n=100, method="inclusive")
    return {"p50": cuts[49], "p99": cuts[98]}


async def _until_ended(database: psycopg.Connection[Any], runs: int) -> None:
    """Wait until so many runs have ended. Raises RuntimeError for one without a result."""
    while _value(database, _ENDED) < runs:
        if _value(database, _FAILED):
            raise RuntimeError("a run has failed; its error is above")
        await asyncio.sleep(0.05)


def _held(database: psycopg.Connection[Any], worker: Worker) -> bool:
    """Whether runs that have not ended are those of a worker."""
    return bool(database.execute(_HELD, (worker.executor,)).fetchall()[0][0])


async def _until_taken_over(database: psycopg.Connection[Any], worker: Worker) -> None:
    """Wait until the runs of a worker are in the queue again, or have ended."""
    while True:
        if not _held(database, worker):
            return
        await asyncio.sleep(0.02)


def _move(database: psycopg.Connection[Any], runs: str, queue: str) -> None:
    """Move runs to another queue, by a pattern of their ids."""
    database.execute("UPDATE dbos.workflow_status SET queue_name = %s WHERE workflow_uuid LIKE %s", (queue, runs))


def _stored(database: psycopg.Connection[Any]) -> dict[str, int]:
    """Return how many rows the runs have, and the bytes of their values as Postgres keeps them."""
    stored = {"rows": 0, "bytes": 0}
    for table in _TABLES:
        rows, size = database.execute(
            f"SELECT count(*), coalesce(sum(pg_column_size(each.*)), 0) FROM dbos.{table} AS each".encode()  # noqa: S608  # names of our own
        ).fetchall()[0]
        stored["rows"] += rows
        stored["bytes"] += int(size)
    return stored


def _logged(database: psycopg.Connection[Any]) -> int:
    """Return the bytes that the server has written to its log of changes (WAL)."""
    return int(_value(database, "SELECT pg_current_wal_insert_lsn() - '0/0'"))


def _transactions(database: psycopg.Connection[Any]) -> int:
    query = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
    return int(_value(database, query))


def _value(database: psycopg.Connection[Any], query: str) -> Any:
    return database.execute(query.encode()).fetchall()[0][0]


def _set(server: PostgresServer, **settings: str) -> None:
    with psycopg.connect(server.url(), autocommit=True) as database:
        for name, value in settings.items():
            database.execute(f"ALTER SYSTEM SET {name} = {value}".encode())
        database.execute("SELECT pg_reload_conf()")


def _cpu(server: PostgresServer) -> float:
    """Return the seconds of processor time that a server has used, with its processes that have ended."""
    postmaster = (server.folder / "data" / "postmaster.pid").read_text(encoding="utf-8").split()[0]
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = stat.parent.name, stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):  # it has ended
            continue
        if pid == postmaster:
            ticks += sum(map(int, rest[11:15]))
        elif rest[1] == postmaster:
            ticks += sum(map(int, rest[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")
