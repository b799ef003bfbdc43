"""Leases of workers: who may execute runs, and whose runs another worker has to take over.

A beat is a number that a worker counts up in its own row. Whoever has not seen it change for a while, by a clock of its
own that only goes forward, writes into the row that the worker is dead: clocks of machines are not compared, and may
jump. A worker counts up only from its own last number. So it has either renewed its lease, and nobody has taken over
its runs, or it learns that it has lost it. Between two beats its own clock tells it when others may begin to doubt it.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from toolgen.contract.picklable import Picklable
from toolgen.engine.dbos.own_tables import TOKEN, TOKENS, WORKERS
from toolgen.engine.protocol import WorkerInfo
from toolgen.runtime.base.field_types import TEXT, WHOLE_NUMBER, FieldType, check_fields, record_of
from toolgen.runtime.events.reading import readable
from toolgen.runtime.events.records import DamagedRun

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine as Connections

    from toolgen.engine.protocol import LeaseState

INTERVAL: Final = 1.0
"""Seconds between the beats of a worker."""

LEASE_SECONDS: Final = 3.0
"""Seconds after the begin of its last beat in which a worker may begin something."""

DEAD_AFTER: Final = 5.0
"""Seconds without a beat after which a worker counts as dead: more than `LEASE_SECONDS`, as clocks are not the same."""

NEIGHBOURS: Final = 3
"""How many workers each one watches: the next ones in the order of their places, and after the last place the first.

While all whom it watches are silent it watches four times as many, since nobody else may see those behind them.
"""

LEFT: Final = -1
"""The count of a worker that lives, or has ended in order, and leaves its runs to others."""

DEAD: Final = -2
"""The count of a worker whose runs are taken over."""


def place_of(worker: str) -> int:
    """Return the place of a worker in the ring of those who watch each other.

    It is a digest of the name: workers of one host have names alike, and die together.
    """
    return int.from_bytes(sha256(worker.encode(errors="surrogatepass")).digest()[:7])


def suspended_too() -> float:
    """Return the time of a clock that goes on while the process or the machine stands still, in seconds."""
    return time.clock_gettime(_CLOCK)


_CLOCK: Final[int] = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class NameTaken(Picklable, ValueError):
    """A running worker has the name."""

    def __init__(self, worker: str) -> None:
        self.worker = worker
        super().__init__(f"a running worker is called {worker!r}: each needs a name of its own")


class Lease:
    """The lease of one worker. A lease that was lost is followed by another one; both times the `term` changes."""

    def __init__(
        self,
        database: Connections,
        worker: str,
        clock: Callable[[], float] = suspended_too,
        about: Callable[[], Mapping[str, Any]] = dict,
    ) -> None:
        self.term = 0
        self.is_lost = False
        self._database: Final = database
        self._worker: Final = worker
        self._clock: Final = clock
        self._about: Final = about
        self._began = -math.inf
        self._kept = self._count = 0
        self._follows_dead = False

    @property
    def is_held(self) -> bool:
        """Whether nobody can have taken over the runs of the worker at this moment."""
        return not self.is_lost and self._clock() - self._began < LEASE_SECONDS

    def holds(self, term: int) -> bool:
        """Whether the lease is held, and is still that of the term."""
        return term == self.term and self.is_held

    def prepare(self, sleep: Callable[[float], object] = time.sleep) -> bool:
        """Take the name of the worker, and return whether the last one died.

        Raises SQLAlchemyError, and `NameTaken` if a running worker has the name. A worker of that name that did not
        leave has died if its count does not change for so long that it begins nothing by its lease any more. After an
        error it can be called again, also if the name was taken and only the answer was lost.
        """
        before = self._read()
        if before is not None and before == self._count and self._begin(before):
            return self._follows_dead
        waited = 0.0
        while before is not None and before >= 0 and waited < DEAD_AFTER and self._read() == before:
            sleep(INTERVAL)
            waited += INTERVAL
        # Meanwhile others may note that the one before is dead, take over its runs, and remove its row.
        for seen in (before, DEAD, LEFT, None):
            self._follows_dead = seen not in (None, LEFT)
            if self._begin(seen):
                return self._follows_dead
        raise NameTaken(self._worker)  # its count has changed, or another one was quicker

    def _read(self) -> int | None:
        with self._database.connect() as connection:
            return connection.execute(sa.select(WORKERS.c.beats).where(WORKERS.c.worker == self._worker)).scalar()

    def begin(self) -> bool:
        """Begin a lease, if there is no row of the worker; return whether it has. Raises SQLAlchemyError."""
        return self._begin(None)

    def _begin(self, before: int | None) -> bool:
        """Begin a lease, if the row of the worker has that count, or, for None, if there is none."""
        began = self._clock()
        # Another worker of that name, by mistake, counts from elsewhere. If the answer of the database is lost, the
        # row is known by its count.
        self._kept = self._count = int.from_bytes(os.urandom(4)) << 20
        row = {"worker": self._worker, "place": place_of(self._worker), "beats": self._count, **self._seen()}
        try:
            with self._database.begin() as connection:
                if before is None:
                    connection.execute(sa.insert(WORKERS).values(row))
                elif not connection.execute(self._own(before, before).values(row)).rowcount:
                    return False
        except IntegrityError:
            return False
        self.term += self.is_lost  # what was taken from the queue without a lease is executed again
        self._began, self.is_lost = began, False
        return True

    def beat(self) -> bool:
        """Renew the lease, and return whether it was not lost. Raises SQLAlchemyError, and may renew it nevertheless.

        If it was lost, others have the runs of the worker, or will have them.
        """
        began = self._clock()
        self._count += 1
        # Where the answer to a beat did not come, it may have been written or not.
        if self._set(self._count):
            self._kept, self._began = self._count, began
            return True
        self.is_lost = True
        self.term += 1
        return False

    def yield_runs(self) -> None:
        """Let the runs of a worker that has lost its lease be taken over, by itself as well: it lives, and leaves them.

        Raises SQLAlchemyError, and `NameTaken` if another worker has its name by now.
        """
        try:
            with self._database.begin() as connection:
                connection.execute(
                    sa.insert(WORKERS).values(worker=self._worker, place=place_of(self._worker), beats=LEFT)
                )
        except IntegrityError:
            # Its own, if the answer was lost when it began another lease.
            if not self._set(LEFT) and (self._read() or LEFT) >= 0:
                raise NameTaken(self._worker) from None

    def leave(self) -> None:
        """Let the others take over the runs of this worker at once. Raises SQLAlchemyError."""
        self._set(LEFT)

    def _set(self, count: int) -> bool:
        """Write a count into the row of the worker, if it has one of its own; return whether it had."""
        values = {"beats": count, **(self._seen() if count >= 0 else {})}
        with self._database.begin() as connection:
            return bool(connection.execute(self._own(self._kept, self._count).values(values)).rowcount)

    def _seen(self) -> dict[str, Any]:
        """Return what operators see of a beat."""
        return {"beaten_at": _now_ms(self._database), "about": json.dumps(self._about())}

    def _own(self, first: int, last: int) -> sa.Update:
        return sa.update(WORKERS).where(WORKERS.c.worker == self._worker, WORKERS.c.beats.between(first, last))


class Watch:
    """What one worker has seen of the beats of its neighbours. `clock` goes forward, in seconds."""

    def __init__(self, database: Connections, worker: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._database: Final = database
        self._worker: Final = worker
        self._clock: Final = clock
        self._looked = clock()
        self._reach = NEIGHBOURS
        self._seen: dict[str, tuple[int, float]] = {}

    def look(self) -> list[str]:
        """Return the workers whose runs are to be taken over; for whom it was not so, that is written into their rows.

        Raises SQLAlchemyError. While the database cannot be reached no one can be seen, so the wait starts again. For
        the same reason a time in which this worker stood still counts for two intervals only.
        """
        try:
            with self._database.connect() as connection:
                rows = self._neighbours(connection)
            passed = min(self._clock() - self._looked, 2 * INTERVAL)
            self._looked = self._clock()
            seen: dict[str, tuple[int, float]] = {}
            for worker, beats in rows:
                before, silent = self._seen.get(worker, (None, 0.0))
                seen[worker] = (beats, silent + passed if before == beats else 0.0)
            self._seen = seen
            self._widen()
        except SQLAlchemyError:
            self._seen.clear()
            raise
        return [worker for worker, (beats, silent) in seen.items() if self._is_dead(worker, beats, silent)]

    def _widen(self) -> None:
        """Watch more while all are silent, and as many as usual once none is."""
        are_silent = [_is_ended(beats) or silent >= 2 * INTERVAL for beats, silent in self._seen.values()]
        if not any(are_silent):
            self._reach = NEIGHBOURS
        elif all(are_silent) and len(are_silent) == self._reach:
            self._reach *= 4

    def silent(self, worker: str) -> float:
        """Return the seconds for which the last look found a worker to have been silent."""
        return self._seen[worker][1]

    def _neighbours(self, connection: sa.Connection) -> list[tuple[str, int]]:
        ordered = sa.select(WORKERS.c.worker, WORKERS.c.beats).order_by(WORKERS.c.place)
        place = place_of(self._worker)
        after = connection.execute(ordered.where(WORKERS.c.place > place).limit(self._reach)).all()
        more = self._reach - len(after)
        first = connection.execute(ordered.where(WORKERS.c.place < place).limit(more)).all() if more else []
        return [(row.worker, row.beats) for row in (*after, *first)]

    def _is_dead(self, worker: str, beats: int, silent: float) -> bool:
        if _is_ended(beats):
            return True
        if silent < DEAD_AFTER:
            return False
        unchanged = (WORKERS.c.worker == worker, WORKERS.c.beats == beats)
        with self._database.begin() as connection:  # unless it has beaten in this moment
            # One that stands still amid a beat holds its row, until the database ends its session: others go on.
            free = sa.select(WORKERS.c.worker).where(*unchanged).with_for_update(skip_locked=True)
            if connection.execute(free).scalar() is None:
                return False
            return bool(connection.execute(sa.update(WORKERS).where(*unchanged).values(beats=DEAD)).rowcount)


def _is_ended(beats: Any) -> bool:
    """Whether a count is that of a worker that left or is dead; one that is no number, in a damaged row, is not."""
    return isinstance(beats, int) and beats < 0


def add_dead(database: Connections, worker: str) -> None:
    """Note that a worker without a row is dead, so that its runs are taken over. Raises SQLAlchemyError."""
    row = {"worker": worker, "place": place_of(worker), "beats": DEAD}
    with suppress(IntegrityError), database.begin() as connection:  # it has one by now
        connection.execute(sa.insert(WORKERS).values(row))


def workers_of(database: Connections) -> list[WorkerInfo]:
    """Return the workers in a database that can be read, by name, by its clock. Raises SQLAlchemyError."""
    rows = sa.select(WORKERS, (_now_ms(database) - WORKERS.c.beaten_at).label("age")).order_by(WORKERS.c.worker)
    with database.connect() as connection:
        return readable(connection.execute(rows), _info)


def _info(row: Any) -> WorkerInfo:
    if not isinstance(row.beats, int):
        raise DamagedRun(f"the worker {row.worker!a} cannot be read: its count of beats is no number")
    age = None if row.age is None else max(0, row.age) / 1000
    lease: LeaseState = "held"
    if row.beats == LEFT:
        lease = "left"
    elif row.beats == DEAD or age is None or age >= DEAD_AFTER:
        lease = "dead"
    elif age >= LEASE_SECONDS:
        lease = "late"
    try:
        about = {**json.loads(row.about or "{}"), "name": row.worker, "lease": lease, "beat_age": age}
        info = record_of(WorkerInfo, about, "it")
        check_fields(info, _INFO)
    except (TypeError, ValueError, RecursionError) as error:
        raise DamagedRun(f"the worker {row.worker!a} cannot be read: {error}") from error
    return info


_COUNT: Final = FieldType("be a whole number or null", lambda value: value is None or WHOLE_NUMBER.accepts(value))
_INFO: Final = {
    **dict.fromkeys(("name", "lease", "version", "package"), TEXT),
    **dict.fromkeys(("runs", "waiting", "activities"), WHOLE_NUMBER),
    "concurrency": _COUNT,
}


def _now_ms(database: Connections) -> Any:
    """Return the time of the clock of the database, in milliseconds since 1970, as an expression."""
    if database.dialect.name == "sqlite":
        return sa.cast((sa.func.julianday("now") - 2440587.5) * 86_400_000.0, sa.BigInteger)
    return sa.cast(sa.extract("epoch", sa.func.clock_timestamp()) * 1000, sa.BigInteger)


def next_token() -> sa.ColumnElement[int]:
    """Return the expression that draws a fencing token, in a statement of Postgres."""
    return TOKENS.next_value()


def draw_token(database: Connections) -> int:
    """Return a fencing token: greater than all before. Raises SQLAlchemyError."""
    drawn: Any = sa.select(TOKENS.next_value())
    if database.dialect.name == "sqlite":
        drawn = sa.update(TOKEN).values(token=TOKEN.c.token + 1).returning(TOKEN.c.token)
    with database.begin() as connection:
        return int(connection.execute(drawn).scalar_one())
