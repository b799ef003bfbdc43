"""Adoption: the runs of dead workers are enqueued again, a batch at a time, around what cannot be locked now."""

from __future__ import annotations

from copy import copy
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.exc import ProgrammingError

from toolgen.engine.dbos.connections import application_name
from toolgen.engine.dbos.database import QUEUE
from toolgen.engine.dbos.deaths import count_deaths
from toolgen.engine.dbos.lease import DEAD, LEFT, WORKERS
from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    from collections.abc import Callable

    from dbos._sys_db import SystemDatabase
    from sqlalchemy.engine import Engine as Connections

    from toolgen.engine.dbos.lease import Lease, Watch

_BATCH: Final = 100
"""How many runs a transaction takes over."""


def with_connections(database: SystemDatabase, connections: Connections) -> SystemDatabase:
    """Return the tables of DBOS by other connections than those that it executes runs with."""
    other = copy(database)
    other.engine = connections.execution_options(**database.engine.get_execution_options())
    return other


class Adoption:
    """Takes over the runs of dead workers. `worker` is the one that does it; `fail` is told of runs it gives up."""

    def __init__(self, database: SystemDatabase, worker: str, fail: Callable[[str, str], object]) -> None:
        self._fail: Final = fail
        self._database: Final = database
        self._connections: Final = database.engine
        self._worker: Final = worker
        self._died: dict[str, float] = {}
        self._may_end_sessions = database.engine.dialect.name == "postgresql"

    def begin_again(self, lease: Lease) -> None:
        """Begin another lease after one was lost, unless runs are left of that time.

        Raises as `Lease.yield_runs` does.
        """
        if lease.is_lost:
            lease.yield_runs()
            if self.take_over(self._worker):
                lease.begin()

    def take_over_dead(self, watch: Watch) -> list[float]:
        """Take over the runs of the neighbours that are dead. Raises as `take_over` does.

        Returns the seconds from the last beat that was seen of each until all of its runs were taken over.
        """
        dead, now = watch.look(), monotonic()
        self._died = {worker: self._died.get(worker, now - watch.silent(worker)) for worker in dead}
        return [monotonic() - at for worker, at in self._died.items() if self.take_over(worker)]

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
            given_up = count_deaths(self._database, connection, ids) if has_died and ids else {}
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
