"""Adoption: the runs of dead workers are enqueued again, a batch at a time, around what cannot be locked now."""

from __future__ import annotations

import time
from copy import copy
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.exc import ProgrammingError, SQLAlchemyError

from toolgen.engine.dbos.connections import application_name
from toolgen.engine.dbos.database import QUEUE, SUSPECTS
from toolgen.engine.dbos.deaths import count_deaths, undo_death
from toolgen.engine.dbos.lease import DEAD, INTERVAL, LEFT, WORKERS, add_dead
from toolgen.engine.dbos.tables import give_up
from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from dbos._sys_db import SystemDatabase
    from sqlalchemy.engine import Engine as Connections

    from toolgen.engine.dbos.lease import Lease, Watch

_BATCH: Final = 100
"""How many runs a transaction takes over, and how many workers a search finds."""

SEARCH_SECONDS: Final = 5.0
"""Seconds between two searches of a worker, where there are few."""


def with_connections(database: SystemDatabase, connections: Connections) -> SystemDatabase:
    """Return the tables of DBOS by other connections than those that it executes runs with."""
    other = copy(database)
    other.engine = connections.execution_options(**database.engine.get_execution_options())
    return other


class Adoption:
    """Takes over the runs of dead workers. `worker` is the one that does it; `fail` is told of runs it gives up.

    `clock` goes forward, in seconds.
    """

    def __init__(
        self,
        database: SystemDatabase,
        worker: str,
        fail: Callable[[str, str], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fail: Final = fail
        self._database: Final = database
        self._connections: Final = database.engine
        self._worker: Final = worker
        self._clock: Final = clock
        self._died: dict[str, float] = {}
        self._may_end_sessions = database.engine.dialect.name == "postgresql"
        self._has_returned = False
        self._searches_at = clock() + SEARCH_SECONDS
        self._idle: Collection[tuple[str, str]] = ()

    def begin_again(self, lease: Lease) -> None:
        """Begin another lease after one was lost, unless runs are left of that time, and undo that it counts as dead.

        Raises as `Lease.yield_runs` does.
        """
        if lease.is_lost:
            lease.yield_runs()
            if self.take_over(self._worker):
                self._has_returned = lease.begin()
        if self._has_returned:  # nobody counts its death any more
            undo_death(self._database, self._worker)
            self._has_returned = False

    def take_over_dead(self, watch: Watch, on_done: Callable[[float], object] = float) -> None:
        """Take over the runs of the neighbours that are dead. Raises as `take_over` does.

        `on_done` is called with the seconds from the last beat that was seen of each until all of its runs were taken
        over. One whose runs cannot be taken over now holds up no other.
        """
        dead, now = watch.look(), self._clock()
        self._died = {worker: self._died.get(worker, now - watch.silent(worker)) for worker in dead}
        failed: SQLAlchemyError | None = None
        for worker, at in self._died.items():
            try:
                if self.take_over(worker):
                    on_done(self._clock() - at)
            except SQLAlchemyError as error:
                failed = failed or error
        if failed is not None:
            raise failed

    def search(self, lease: Lease, executed: Callable[[], Collection[str]]) -> None:
        """Find runs that nobody executes and nobody would take over, now and then: a look at all runs that go on.

        They are those of a worker without a row: it was taken over, went on, took them from the queue, and died before
        its next beat. It gets a row. And they are runs of this worker of which it does not know, because the answer of
        the database was lost when it took them: whatever it does not execute in two searches is enqueued again.
        `executed` are the runs that it executes, by its `lease`. Raises sqlalchemy.exc.SQLAlchemyError.
        """
        if self._clock() < self._searches_at:
            return
        runs = self._database.tables.workflow_status
        goes_on = sa.and_(runs.c.status == "PENDING", runs.c.queue_name.in_((QUEUE, SUSPECTS)))
        known = sa.select(WORKERS.c.worker).where(WORKERS.c.worker == runs.c.executor_id)
        strays = sa.select(runs.c.executor_id).distinct().where(goes_on, ~known.exists()).limit(_BATCH)
        own = sa.select(runs.c.workflow_uuid, runs.c.owner_xid).where(goes_on, runs.c.executor_id == self._worker)
        with self._connections.connect() as connection:
            workers = connection.execute(sa.select(sa.func.count()).select_from(WORKERS)).scalar_one()
            found = connection.execute(strays).scalars().all()
            pending = [(run_id, owner) for run_id, owner in connection.execute(own)]
        # However many workers there are, about one of them does so at a time.
        self._searches_at = self._clock() + max(SEARCH_SECONDS, workers * INTERVAL)
        for worker in found:
            add_dead(self._connections, worker)
        known_here = executed()
        # Without its lease, which another worker of its name may have by now, it gives up nothing.
        idle = {(run_id, owner) for run_id, owner in pending if run_id not in known_here and lease.is_held}
        for run_id, owner in idle.intersection(self._idle):
            give_up(self._database, run_id, owner)
        self._idle = idle

    def take_over(self, worker: str) -> bool:
        """Enqueue the runs of a dead worker again, and remove it; return whether all are.

        What is locked stays for another time. If several do so at once, one does it. The sessions of a worker that
        stands still are ended first, where the role may: their transactions hold rows. Raises
        sqlalchemy.exc.SQLAlchemyError.
        """
        if worker != self._worker:
            self._end_sessions(worker)
        while True:
            taken, is_done = self._batch(worker)
            if is_done or taken < _BATCH:
                return is_done

    def _end_sessions(self, worker: str) -> None:
        if not self._may_end_sessions:
            return
        ended = sa.text(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND application_name = :name AND pid <> pg_backend_pid()"
        )
        try:
            with self._connections.begin() as connection:
                is_dead = sa.select(WORKERS.c.worker).where(WORKERS.c.worker == worker, WORKERS.c.beats == DEAD)
                if connection.execute(is_dead.with_for_update(skip_locked=True)).scalar() is not None:
                    connection.execute(ended, {"name": application_name(worker)})
        except ProgrammingError as error:
            self._may_end_sessions = False
            warn("the sessions of dead workers cannot be ended: what they hold waits for their timeout", error=error)

    def _batch(self, worker: str) -> tuple[int, bool]:
        """Return how many runs are enqueued again, and whether there are no more.

        The row of the worker is locked meanwhile, so that it has no lease again before the end of the transaction.
        """
        runs = self._database.tables.workflow_status
        of_worker = sa.and_(runs.c.executor_id == worker, runs.c.status == "PENDING")
        free = sa.select(runs.c.workflow_uuid).where(of_worker).order_by(runs.c.workflow_uuid).limit(_BATCH)
        left = sa.select(WORKERS.c.beats).where(WORKERS.c.worker == worker, WORKERS.c.beats.in_((DEAD, LEFT)))
        with self._connections.begin() as connection:
            if self._connections.dialect.name == "sqlite":
                connection.execute(sa.text("BEGIN IMMEDIATE"))  # it locks no rows
            beats = connection.execute(left.with_for_update(skip_locked=True)).scalar()
            if beats is None:
                return 0, False
            has_died = beats == DEAD and worker != self._worker
            ids = connection.execute(free.with_for_update(skip_locked=True)).scalars().all()
            given_up = count_deaths(self._database, connection, worker, ids) if has_died and ids else {}
            now: Any = self._database._now_ms_sql()  # noqa: SLF001  # the clock of the database
            enqueued = (
                sa.update(runs)
                .where(runs.c.workflow_uuid.in_(ids), runs.c.status == "PENDING")
                .values(
                    status="ENQUEUED",
                    queue_name=sa.func.coalesce(runs.c.queue_name, QUEUE),
                    owner_xid=None,
                    started_at_epoch_ms=None,
                    updated_at=now,
                )
            )
            if ids:
                connection.execute(enqueued)
            is_done = connection.execute(sa.select(runs.c.workflow_uuid).where(of_worker).limit(1)).first() is None
            if is_done:
                connection.execute(sa.delete(WORKERS).where(WORKERS.c.worker == worker))
        for run_id, detail in given_up.items():
            self._fail(run_id, detail)
        return len(ids), is_done
