"""Simulate the leases of more workers than there are: `python -m benchmarks.leases` prints JSON.

The leases, and what workers see of each other, are the code of the engine, with a clock that the simulation moves on,
and a table in memory. A worker beats and looks at its neighbours once in `INTERVAL`, and removes the row of one that is
dead, which is its adoption: that of its runs takes longer. Statements take no time. What happens: workers die, alone or
many at once, or stand still for a while, or the database is away.
"""

from __future__ import annotations

import json
import random
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import TYPE_CHECKING, Any, Final

import simpy
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from toolgen.engine.dbos.lease import INTERVAL, Lease, Watch
from toolgen.engine.dbos.own_tables import WORKERS

if TYPE_CHECKING:
    Work = Generator[simpy.Event, Any, None]

WORKERS_OF_A_HOST: Final = 20
"""Their names are alike: by default a name begins with that of the host."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What happens to some workers, at a moment when all have beaten for a while.

    `dead` die, whole hosts at a time if `by_host`. `paused` stand still for `pause` seconds, and then go on. The
    database is away for `away` seconds. The simulation ends when all the dead are adopted, but not before `seconds`.
    """

    workers: int
    dead: int = 0
    by_host: bool = False
    paused: int = 0
    pause: float = 0.0
    away: float = 0.0
    seconds: float = 10.0
    seed: int = 1


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Seconds from the death of a worker to its adoption, and what else was seen.

    `adopted_while_held` counts workers that were adopted while they might begin something. `adopted_alive` counts those
    that were adopted because they stood still, and `rows_per_second` the rows of others that are read when nobody dies.
    """

    p50: float
    p99: float
    longest: float
    adopted: int
    adopted_alive: int
    adopted_while_held: int
    rows_per_second: float


def simulate(scenario: Scenario) -> Outcome:
    """Simulate a scenario."""
    simulation = _Simulation(scenario)
    with closing(simulation.database):
        return simulation.outcome()


class _Database:
    """Tables in memory, with the methods of SQLAlchemy's engine that leases use."""

    def __init__(self) -> None:
        self.is_away = False
        self.rows_read = 0
        self._engine: Final = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
        self.dialect: Final = self._engine.dialect
        WORKERS.create(self._engine)

    @contextmanager
    def begin(self) -> Generator[sa.Connection]:
        if self.is_away:
            raise OperationalError("", None, ConnectionError())
        with self._engine.begin() as connection:
            yield connection

    connect = begin

    def close(self) -> None:
        self._engine.dispose()


class _Watch(Watch):
    """Counts the rows that are read."""

    rows_read = 0

    def _neighbours(self, connection: sa.Connection) -> list[tuple[str, int]]:
        rows = super()._neighbours(connection)
        _Watch.rows_read += len(rows)
        return rows


class _Worker:
    """A worker, in two processes as it has two threads."""

    def __init__(self, simulation: _Simulation, name: str) -> None:
        self.name: Final = name
        self.is_dead = False
        self.paused_until = 0.0
        self._simulation: Final = simulation
        self._env: Final = simulation.env
        database: Any = simulation.database
        self.lease: Final = Lease(database, name, clock=lambda: simulation.env.now)
        self.watch: Final = _Watch(database, name, clock=lambda: simulation.env.now)
        self.lease.begin()
        for task in (self._beat, self._adopt):
            self._env.process(self._repeat(task))

    def _repeat(self, task: Any) -> Work:
        yield self._env.timeout(self._simulation.random.uniform(0, INTERVAL))
        while not self.is_dead:
            if self.paused_until > self._env.now:
                yield self._env.timeout(self.paused_until - self._env.now)
            with suppress(SQLAlchemyError):  # it is tried again
                task()
            yield self._env.timeout(INTERVAL)

    def _beat(self) -> None:
        if not self.lease.is_lost:
            self.lease.beat()

    def _adopt(self) -> None:
        if self.lease.is_lost:
            self.lease.yield_runs()
            self._simulation.remove(self.name)
            self.lease.begin()
        for worker in self.watch.look():
            self._simulation.adopt(worker)


class _Simulation:
    def __init__(self, scenario: Scenario) -> None:
        self.env: Final = simpy.Environment()
        self.random: Final = random.Random(scenario.seed)  # noqa: S311  # of a simulation
        self.database: Final = _Database()
        self._scenario: Final = scenario
        self._adopted: Final[dict[str, float]] = {}
        self._held = 0
        hosts = (f"host-{number // WORKERS_OF_A_HOST:03}" for number in range(scenario.workers))
        self._workers: Final = {
            name: _Worker(self, name) for name in (f"{host}-{self.random.randrange(10**6):06}" for host in hosts)
        }

    def outcome(self) -> Outcome:
        """Run it to its end."""
        scenario, begin = self._scenario, 3 * INTERVAL
        _Watch.rows_read = 0
        self.env.run(begin)
        rows_per_second = _Watch.rows_read / begin
        dead, paused = self._chosen()
        for worker in dead:
            worker.is_dead = True
        for worker in paused:
            worker.paused_until = begin + scenario.pause
        self.database.is_away = scenario.away > 0
        self.env.run(begin + scenario.away + 1e-6)
        self.database.is_away = False
        end = begin + scenario.seconds
        while self.env.now < end or not all(worker.name in self._adopted for worker in dead):
            self.env.run(self.env.now + INTERVAL)
        times = [self._adopted[worker.name] - begin for worker in dead] or [0.0]
        cuts = quantiles([*times, *times], n=100, method="inclusive")  # it takes two at least
        return Outcome(
            p50=round(cuts[49], 2),
            p99=round(cuts[98], 2),
            longest=round(max(times), 2),
            adopted=len(dead),
            adopted_alive=len(self._adopted) - len(dead),
            adopted_while_held=self._held,
            rows_per_second=round(rows_per_second),
        )

    def _chosen(self) -> tuple[list[_Worker], list[_Worker]]:
        scenario, workers = self._scenario, list(self._workers.values())
        dead = workers[: scenario.dead] if scenario.by_host else self.random.sample(workers, scenario.dead)
        others = [worker for worker in workers if worker not in dead]
        return dead, self.random.sample(others, scenario.paused)

    def adopt(self, name: str) -> None:
        """Adopt a worker, which the caller has seen to be dead."""
        worker = self._workers[name]
        self._held += worker.lease.is_held and not worker.is_dead
        self._adopted.setdefault(name, self.env.now)
        self.remove(name)

    def remove(self, name: str) -> None:
        with self.database.begin() as connection:
            connection.execute(sa.delete(WORKERS).where(WORKERS.c.worker == name, WORKERS.c.beats < 0))


SCENARIOS: Final = {
    "one worker dies": Scenario(workers=1_000, dead=1),
    "a host dies": Scenario(workers=1_000, dead=WORKERS_OF_A_HOST, by_host=True),
    "ten hosts die": Scenario(workers=1_000, dead=10 * WORKERS_OF_A_HOST, by_host=True),
    "half of all die": Scenario(workers=1_000, dead=500),
    "a tenth stands still for 2 seconds": Scenario(workers=1_000, paused=100, pause=2.0),
    "a tenth stands still for 4 seconds": Scenario(workers=1_000, paused=100, pause=4.0),
    "a tenth stands still for 8 seconds": Scenario(workers=1_000, paused=100, pause=8.0, seconds=15.0),
    "the database is away for 30 seconds": Scenario(workers=1_000, away=30.0, seconds=40.0),
    "one dies while it is": Scenario(workers=1_000, dead=1, away=30.0, seconds=40.0),
}


def main() -> None:
    found = {name: {**asdict(each), **asdict(simulate(each))} for name, each in SCENARIOS.items()}
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
