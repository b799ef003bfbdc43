"""Adoption: the runs of dead workers are enqueued again, a batch at a time, around what cannot be locked now."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import ProgrammingError, SQLAlchemyError

from toolgen.engine.dbos.connections import application_name
from toolgen.engine.dbos.database import BY_CALL, QUEUE, SUSPECTS, described, parent_of
from toolgen.engine.dbos.lease import DEAD, INTERVAL, LEFT, add_dead
from toolgen.engine.dbos.own_tables import WORKERS
from toolgen.engine.dbos.private import now_ms
from toolgen.engine.dbos.tables import ACTIVE, about_in, asking_in, awaiting_in, describe, give_up, parent_in
from toolgen.runtime.redact.warning import warn
from toolgen.schema.json_values import is_array

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine as Connections

    from toolgen.engine.dbos.lease import Lease, Watch
    from toolgen.engine.dbos.private import SystemDatabase


# Deaths of workers that runs may have caused: who is suspected, and who is given up.
#
# A run that kills its process, such as by a tool that takes all memory, kills each worker that executes it, and what
# else that worker does. So each death counts for the runs that did something at the time, and for those only: not for
# one that waited for a person, a signal, agents or a point in time. It counts until the run comes further: no call
# writes anything for this. Whoever may have caused a second death without coming further is a suspect: a worker
# executes one of these at a time, until it has come further. Other runs wait no longer for that, and no death counts
# for two suspects.
#
# What counts is the end of a process, which nobody can tell from a process that stands still, or whose network is
# cut. So it counts when others take over the runs, and each death names its worker: one that comes back under its
# name has not died, and takes its name out of all deaths. Nothing counts for a worker that ends in order, or that
# gives up runs itself because it had lost its lease. A run that was given up meanwhile stays so, until somebody
# resumes it.

SUSPECTED_AFTER: Final = 2
"""Deaths without coming further that make a run a suspect: any machine may die once."""

MOST_DEATHS: Final = 4
"""Deaths without coming further after which a run has failed."""

_IDS: Final = 1000
"""How many ids a statement has."""


def count_deaths(
    database: SystemDatabase, connection: sa.Connection, worker: str, run_ids: Sequence[str]
) -> dict[str, str]:
    """Count the death of the worker that had some runs, which are locked; return those that are given up, and why.

    The others are in the queue in which they have to be enqueued. Raises sqlalchemy.exc.SQLAlchemyError.
    """
    runs = database.tables.workflow_status
    waiting = _waiting(database, connection, run_ids)
    counts = _steps(database, connection, run_ids)
    found = sa.select(runs.c.workflow_uuid, about_in(runs)).where(runs.c.workflow_uuid.in_(run_ids))
    given_up: dict[str, str] = {}
    for run_id, about in connection.execute(found).all():
        if run_id in waiting:
            continue
        steps, before = counts.get(run_id, 0), described(about)
        deaths = [*(_deaths(before) if before.get("steps") == steps else ()), worker]
        changed: dict[str, Any] = {"deaths": deaths, "steps": steps}
        if len(deaths) >= MOST_DEATHS:
            detail = f"{len(deaths)} workers died, one after the other, while they executed its step {steps + 1}"
            changed |= {"reason": "crashes", "detail": detail}
            given_up[run_id] = detail
        describe(database, connection, changed, run_id)
        queue = SUSPECTS if len(deaths) >= SUSPECTED_AFTER else QUEUE
        connection.execute(sa.update(runs).where(runs.c.workflow_uuid == run_id).values(queue_name=queue))
    _give_up(database, connection, [*given_up])
    return given_up


def count_deaths_of(database: SystemDatabase, worker: str) -> dict[str, str]:
    """Count the death of a worker that is followed by one of its name; return as `count_deaths` does.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    runs = database.tables.workflow_status
    of_worker = sa.select(runs.c.workflow_uuid).where(runs.c.executor_id == worker, runs.c.status == "PENDING")
    given_up: dict[str, str] = {}
    with database.engine.begin() as connection:
        run_ids = connection.execute(of_worker.order_by(runs.c.workflow_uuid).with_for_update()).scalars().all()
        for at in range(0, len(run_ids), _IDS):
            given_up |= count_deaths(database, connection, worker, run_ids[at : at + _IDS])
    return given_up


def undo_death(database: SystemDatabase, worker: str) -> None:
    """Let no death of a worker that lives count for a run that goes on.

    It may count twice, if the worker took a run again before it knew. Raises sqlalchemy.exc.SQLAlchemyError.
    """
    runs = database.tables.workflow_status
    is_named: Any = runs.c.attributes.is_not(None)
    if database.engine.dialect.name == "postgresql":
        is_named = sa.type_coerce(runs.c.attributes, JSONB).contains({"deaths": [worker]})
    named = sa.select(runs.c.workflow_uuid, about_in(runs), runs.c.queue_name, runs.c.status)
    named = named.where(is_named, runs.c.status.in_(ACTIVE)).order_by(runs.c.workflow_uuid).with_for_update()
    with database.engine.begin() as connection:
        for run_id, text, queue, status in connection.execute(named).all():
            about = described(text)
            counted = _deaths(about)
            if worker not in counted:
                continue
            deaths = [each for each in counted if each != worker]
            left = {"deaths": deaths, "steps": about.get("steps")} if deaths else {"deaths": None, "steps": None}
            describe(database, connection, left, run_id)
            if (queue, status) == (SUSPECTS, "ENQUEUED") and len(deaths) < SUSPECTED_AFTER:
                connection.execute(sa.update(runs).where(runs.c.workflow_uuid == run_id).values(queue_name=QUEUE))


def _deaths(about: Mapping[str, Any]) -> list[str]:
    """Return the workers whose deaths count for a run, by what its row says."""
    found = about.get("deaths")
    return found if is_array(found) else []


def _waiting(database: SystemDatabase, connection: sa.Connection, run_ids: Sequence[str]) -> set[str]:
    """Return those of some runs that only waited. One whose rows cannot be read did not: a warning tells it."""
    steps = database.tables.operation_outputs
    waiting, damaged = asking_in(database, connection, run_ids)
    for error in damaged.values():
        warn("a run may have killed its worker, since nobody can tell whether it only waited: %s", error)
    waiting |= awaiting_in(database, connection, run_ids)
    last = sa.select(steps.c.workflow_uuid, sa.func.max(steps.c.function_id).label("last"))
    last = last.where(steps.c.workflow_uuid.in_(run_ids)).group_by(steps.c.workflow_uuid)
    ended = last.subquery()
    pausing = (
        sa.select(steps.c.workflow_uuid)
        .join(ended, sa.and_(ended.c.workflow_uuid == steps.c.workflow_uuid, ended.c.last == steps.c.function_id))
        .where(steps.c.function_name == "DBOS.sleep", steps.c.completed_at_epoch_ms > int(time.time() * 1000))
    )
    waiting |= {*connection.execute(pausing).scalars()}
    runs = database.tables.workflow_status
    parent = parent_in(runs.c.workflow_uuid)
    agents = sa.select(parent, about_in(runs)).where(
        runs.c.status.in_(ACTIVE), runs.c.priority == BY_CALL, parent.in_(run_ids)
    )
    found = connection.execute(agents)
    return waiting | {run_id for run_id, about in found if run_id == parent_of(BY_CALL, described(about))}


def _steps(database: SystemDatabase, connection: sa.Connection, run_ids: Sequence[str]) -> dict[str, int]:
    """Return how many steps each run has done."""
    steps = database.tables.operation_outputs
    counted = sa.select(steps.c.workflow_uuid, sa.func.count()).where(steps.c.workflow_uuid.in_(run_ids))
    return {run_id: count for run_id, count in connection.execute(counted.group_by(steps.c.workflow_uuid))}  # noqa: C416  # rows are no pairs to mypy


def _give_up(database: SystemDatabase, connection: sa.Connection, run_ids: Sequence[str]) -> None:
    """Let runs fail, as DBOS does after its own limit of recoveries, which counts every execution."""
    runs = database.tables.workflow_status
    now: Any = now_ms(database)
    connection.execute(
        sa.update(runs)
        .where(runs.c.workflow_uuid.in_(run_ids), runs.c.status == "PENDING")
        .values(
            status="MAX_RECOVERY_ATTEMPTS_EXCEEDED",
            owner_xid=None,
            deduplication_id=None,
            queue_name=None,
            started_at_epoch_ms=None,
            updated_at=now,
            completed_at=now,
        )
    )


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
            now: Any = now_ms(self._database)
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
