"""Simulate durable runs on more machines than there are: `python -m benchmarks.simulation` prints JSON.

The inputs are figures that `benchmarks.durable` measured on one machine. With them the throughput of two and four
workers on that machine is simulated first, and compared with what was measured there: `check` returns the error. What
is not simulated: flushes of the disk, the network, locks within Postgres, and calls that take time.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Generator, Mapping
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import TYPE_CHECKING, Any, Final

import simpy

if TYPE_CHECKING:
    Work = Generator[simpy.Event, Any, None]

STATED_ERROR: Final = 0.17
"""The relative error of the simulated throughput that `docs/explanation/scaling.md` states."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """What a step costs: milliseconds of processor time, of the worker and of the server."""

    worker_ms: float
    server_ms: float


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What was measured with some numbers of workers: the cost of a step, and the runs per second.

    `polls` are the looks at the queue of a worker without work, per second; the processor time that they take worker
    and server is in milliseconds per second.
    """

    steps: int
    calls: int
    step: Mapping[int, Step]
    throughput: Mapping[int, float]
    idle_worker_ms: float
    idle_server_ms: float
    polls: float
    cores: int
    concurrency: int
    runs: int
    wal_bytes_per_call: float
    connections: int

    @property
    def stretch(self) -> float:
        """How much longer than its processor time a step takes one worker: other load of the machine, and switches."""
        return 1e3 / self.throughput[1] / self.steps / self.step[1].worker_ms


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """Workers on one database. `own_cores`: each worker has a core, and the server its cores; else they share these."""

    workers: int
    concurrency: int
    poll: float
    cores: int
    own_cores: bool
    step: Step
    stretch: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """Runs a second, seconds from queue to result, and the share of time that the cores of the server are used."""

    runs_per_second: float
    p50: float
    p99: float
    server_used: float


def simulate(measured: Measured, deployment: Deployment, *, runs: int, rate: float = 0.0) -> Simulated:
    """Simulate so many runs, which start at once, or at a rate per second."""
    return _Simulation(measured, deployment).of(runs, rate)


def check(measured: Measured) -> dict[int, dict[str, float]]:
    """Return the simulated and the measured throughput on the machine of the measurement, and the relative error."""
    found: dict[int, dict[str, float]] = {}
    for workers, throughput in measured.throughput.items():
        machine = Deployment(
            workers=workers,
            concurrency=measured.concurrency,
            poll=1 / measured.polls,
            cores=measured.cores,
            own_cores=False,
            step=measured.step[workers],
            stretch=measured.stretch,
        )
        simulated = simulate(measured, machine, runs=measured.runs).runs_per_second
        found[workers] = {
            "simulated": round(simulated, 1),
            "measured": throughput,
            "error": round(simulated / throughput - 1, 3),
        }
    return found


class _Simulation:
    def __init__(self, measured: Measured, deployment: Deployment) -> None:
        self._measured: Final = measured
        self._deployment: Final = deployment
        self._env: Final = simpy.Environment()
        self._cores: Final = simpy.Resource(self._env, deployment.cores)
        self._queue: Final[deque[float]] = deque()
        self._waits: Final[list[float]] = []
        self._served = 0.0

    def of(self, runs: int, rate: float) -> Simulated:
        ended = self._env.event()
        self._env.process(self._arrive(runs, rate))
        for number in range(self._deployment.workers):
            offset = number / self._deployment.workers * self._deployment.poll  # they do not look at the same moment
            self._env.process(self._work(offset, runs, ended))
        self._env.run(ended)
        cuts = quantiles(self._waits, n=100, method="inclusive")
        return Simulated(
            runs_per_second=runs / self._env.now,
            p50=round(cuts[49], 3),
            p99=round(cuts[98], 3),
            server_used=round(self._served / self._env.now / self._deployment.cores, 3),
        )

    def _arrive(self, runs: int, rate: float) -> Work:
        for _ in range(runs):
            self._queue.append(self._env.now)
            if rate:
                yield self._env.timeout(1 / rate)

    def _work(self, offset: float, runs: int, ended: simpy.Event) -> Work:
        """Look at the queue, and execute as many runs as there is room for. Python executes one thing at a time."""
        interpreter, running = simpy.Resource(self._env, 1), [0]
        yield self._env.timeout(offset)
        while True:
            yield self._env.timeout(self._deployment.poll)
            yield from self._compute(interpreter, self._measured.idle_worker_ms / self._measured.polls)
            yield from self._serve(self._measured.idle_server_ms / self._measured.polls)
            while self._queue and running[0] < self._deployment.concurrency:
                running[0] += 1
                self._env.process(self._run(self._queue.popleft(), interpreter, running, runs, ended))

    def _run(
        self, queued: float, interpreter: simpy.Resource, running: list[int], runs: int, ended: simpy.Event
    ) -> Work:
        """Execute a run. Each step reads whether it has an outcome, and writes it."""
        for _ in range(2 * self._measured.steps):
            yield from self._compute(interpreter, self._deployment.step.worker_ms / 2)
            yield from self._serve(self._deployment.step.server_ms / 2)
        running[0] -= 1
        self._waits.append(self._env.now - queued)
        if len(self._waits) == runs:
            ended.succeed()

    def _compute(self, interpreter: simpy.Resource, milliseconds: float) -> Work:
        with interpreter.request() as turn:
            yield turn
            if self._deployment.own_cores:
                yield self._env.timeout(milliseconds / 1e3 * self._deployment.stretch)
            else:
                yield from self._on_a_core(milliseconds)

    def _serve(self, milliseconds: float) -> Work:
        self._served += milliseconds / 1e3 * self._deployment.stretch
        yield from self._on_a_core(milliseconds)

    def _on_a_core(self, milliseconds: float) -> Work:
        with self._cores.request() as core:
            yield core
            yield self._env.timeout(milliseconds / 1e3 * self._deployment.stretch)


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Workers on servers of their own, which share nothing: each has its part of the workers and of the runs."""

    workers: int
    calls_per_second: float
    shards: int
    poll: float
    cores: int = 32
    seconds: float = 3.0

    def simulated(self, measured: Measured) -> Simulated:
        """Simulate one shard, for so many seconds of arrivals."""
        rate = self.calls_per_second / measured.calls / self.shards
        shard = Deployment(
            workers=self.workers // self.shards,
            concurrency=measured.concurrency,
            poll=self.poll,
            cores=self.cores,
            own_cores=True,
            step=measured.step[1],
        )
        return simulate(measured, shard, runs=round(rate * self.seconds), rate=rate)


@dataclass(frozen=True, kw_only=True)
class Carried:
    """What one server carries."""

    calls_per_second: float
    workers: float
    connections: float
    wal_bytes_per_second: float


def carried(measured: Measured, *, cores: int, poll: float, used: float = 0.7) -> Carried:
    """Compute what a server carries whose cores, and those of the workers, are used to a part of their time."""
    steps, step = measured.steps / measured.calls, measured.step[1]
    calls_of_worker = used * 1e3 / (steps * step.worker_ms)
    looks_ms = measured.idle_server_ms / measured.polls / poll / calls_of_worker  # for each call
    calls = used * 1e3 * cores / (steps * step.server_ms + looks_ms)
    workers = calls / calls_of_worker
    return Carried(
        calls_per_second=calls,
        workers=workers,
        connections=workers * measured.connections,
        wal_bytes_per_second=calls * measured.wal_bytes_per_call,
    )


CLUSTERS: Final = (
    Cluster(workers=100, calls_per_second=1_000, shards=1, poll=0.1),
    Cluster(workers=1_000, calls_per_second=10_000, shards=1, poll=0.1),
    Cluster(workers=1_000, calls_per_second=10_000, shards=1, poll=1.0),
    Cluster(workers=1_000, calls_per_second=10_000, shards=4, poll=0.1),
    Cluster(workers=1_000, calls_per_second=10_000, shards=4, poll=1.0),
)

SERVERS: Final = (8, 32, 64)
"""Cores of a server, for `carried`."""

MEASURED: Final = Measured(
    steps=11,
    calls=5,
    step={
        1: Step(worker_ms=1.27, server_ms=0.33),
        2: Step(worker_ms=1.03, server_ms=0.35),
        4: Step(worker_ms=1.26, server_ms=0.37),
    },
    throughput={1: 69.1, 2: 105.6, 4: 95.9},
    idle_worker_ms=30.0,
    idle_server_ms=6.0,
    polls=10.0,
    cores=2,
    concurrency=20,
    runs=120,
    wal_bytes_per_call=2300.0,
    connections=9,
)
"""Medians of five rounds of toolgen on 2026-11-23: 2 cores, Python 3.11, Postgres 15, no other load."""


def main() -> None:
    clusters = [{**asdict(each), **asdict(each.simulated(MEASURED))} for each in CLUSTERS]
    servers = {cores: asdict(carried(MEASURED, cores=cores, poll=1.0)) for cores in SERVERS}
    print(json.dumps({"check": check(MEASURED), "clusters": clusters, "servers": servers}, indent=2))


if __name__ == "__main__":
    main()
