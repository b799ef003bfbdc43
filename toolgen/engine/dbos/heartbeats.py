"""Heartbeats of workers: who is there, and whose runs another worker has to take over.

A heartbeat is a number that a worker counts up. Whoever has not seen it change for a while, by a clock of its own that
only goes forward, takes the worker for dead: clocks of machines are not compared, and may jump.
"""

from __future__ import annotations

import os
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Engine as Database

INTERVAL: Final = 1.0
"""Seconds between the heartbeats of a worker."""

DEAD_AFTER: Final = 5.0
"""Seconds without a heartbeat after which a worker counts as dead."""

_LEFT: Final = -1
"""The count of a worker that has stopped, and left its runs to others."""

_TABLE: Final = sa.Table(
    "toolgen_workers",
    sa.MetaData(),
    sa.Column("worker", sa.Text, primary_key=True),
    sa.Column("beats", sa.BigInteger, nullable=False),
)


class NameTaken(ValueError):
    """A running worker has the name."""

    def __init__(self, worker: str) -> None:
        self.worker = worker
        super().__init__(f"a running worker is called {worker!r}: each needs a name of its own")

    def __reduce__(self) -> tuple[type[NameTaken], tuple[str]]:
        return (NameTaken, (self.worker,))


class Heartbeats:
    """The heartbeats of one worker, and what it has seen of those of others."""

    def __init__(self, database: Database, worker: str, clock: Callable[[], float] = monotonic) -> None:
        self._database: Final = database
        self._worker: Final = worker
        self._clock: Final = clock
        self._beats = int.from_bytes(os.urandom(4))  # another worker of that name, by mistake, counts from elsewhere
        self._seen: dict[str, tuple[int, float]] = {}

    def prepare(self) -> None:
        """Create the table, unless it is there, and take the name of the worker.

        Raises SQLAlchemyError, and `NameTaken` if a running worker has the name. A worker of that name that did not
        leave has died if its count does not change for two intervals.
        """
        try:
            _TABLE.metadata.create_all(self._database)
        except SQLAlchemyError:  # another worker creates it at this moment
            _TABLE.metadata.create_all(self._database)
        before = self._count()
        if before not in (None, _LEFT):
            sleep(2 * INTERVAL)
        try:
            with self._database.begin() as connection:
                connection.execute(sa.delete(_TABLE).where(_TABLE.c.worker == self._worker, _TABLE.c.beats == before))
                connection.execute(sa.insert(_TABLE).values(worker=self._worker, beats=self._beats))
        except IntegrityError:  # its count has changed, or it was quicker
            raise NameTaken(self._worker) from None

    def _count(self) -> int | None:
        with self._database.begin() as connection:
            return connection.execute(sa.select(_TABLE.c.beats).where(_TABLE.c.worker == self._worker)).scalar()

    def beat(self) -> list[str]:
        """Count up, and return the workers that are dead.

        Raises SQLAlchemyError. While the database cannot be reached no one can be seen, so the wait starts again.
        """
        self._beats += 1
        try:
            with self._database.begin() as connection:
                here = sa.update(_TABLE).where(_TABLE.c.worker == self._worker).values(beats=self._beats)
                if connection.execute(here).rowcount == 0:
                    connection.execute(sa.insert(_TABLE).values(worker=self._worker, beats=self._beats))
                rows = connection.execute(sa.select(_TABLE.c.worker, _TABLE.c.beats)).all()
        except SQLAlchemyError:
            self._seen.clear()
            raise
        now = self._clock()
        seen = {
            worker: (beats, self._seen[worker][1] if self._seen.get(worker, (None,))[0] == beats else now)
            for worker, beats in rows
            if worker != self._worker
        }
        self._seen = seen
        return [worker for worker, (beats, since) in seen.items() if beats == _LEFT or now - since >= DEAD_AFTER]

    def leave(self) -> None:
        """Let the others take over the runs of this worker at once. Raises SQLAlchemyError."""
        with self._database.begin() as connection:
            connection.execute(sa.update(_TABLE).where(_TABLE.c.worker == self._worker).values(beats=_LEFT))

    def forget(self, worker: str) -> None:
        """Remove a worker whose runs are taken over. Raises SQLAlchemyError."""
        with self._database.begin() as connection:
            connection.execute(sa.delete(_TABLE).where(_TABLE.c.worker == worker))
        self._seen.pop(worker, None)
