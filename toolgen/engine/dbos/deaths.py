"""Deaths of workers that runs may have caused: who is suspected, and who is given up.

A run that kills its process, such as by a tool that takes all memory, kills each worker that executes it, and what else
that worker does. So each death counts for the runs that did something at the time, and for those only: not for one that
waited for a person, a signal, agents or a point in time. It counts until the run comes further: no call writes anything
for this. Whoever may have caused a second death without coming further is a suspect: a worker executes one of these at
a time, until it has come further. Other runs wait no longer for that, and no death counts for two suspects.

What counts is the end of a process, which nobody can tell from a process that stands still, or whose network is cut. So
it counts when others take over the runs, and each death names its worker: one that comes back under its name has not
died, and takes its name out of all deaths. Nothing counts for a worker that ends in order, or that gives up runs
itself because it had lost its lease. A run that was given up meanwhile stays so, until somebody resumes it.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from toolgen.engine.dbos.database import AWAITED, BY_CALL, QUESTIONS, QUEUE, SUSPECTS, is_below
from toolgen.engine.dbos.tables import ACTIVE, answers_in, describe, parent_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dbos._sys_db import SystemDatabase

SUSPECTED_AFTER: Final = 2
"""Deaths without coming further that make a run a suspect: any machine may die once."""

MOST_DEATHS: Final = 4
"""Deaths without coming further after which a run has failed."""

_BATCH: Final = 1000
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
    found = sa.select(runs.c.workflow_uuid, runs.c.attributes).where(runs.c.workflow_uuid.in_(run_ids))
    given_up: dict[str, str] = {}
    for run_id, about in connection.execute(found).all():
        if run_id in waiting:
            continue
        steps, before = counts.get(run_id, 0), about or {}
        deaths = [*(before.get("deaths", ()) if before.get("steps") == steps else ()), worker]
        described: dict[str, Any] = {"deaths": deaths, "steps": steps}
        if len(deaths) >= MOST_DEATHS:
            detail = f"{len(deaths)} workers died, one after the other, while they executed its step {steps + 1}"
            described |= {"reason": "crashes", "detail": detail}
            given_up[run_id] = detail
        describe(database, connection, described, run_id)
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
        for at in range(0, len(run_ids), _BATCH):
            given_up |= count_deaths(database, connection, worker, run_ids[at : at + _BATCH])
    return given_up


def undo_death(database: SystemDatabase, worker: str) -> None:
    """Let no death of a worker that lives count for a run that goes on.

    It may count twice, if the worker took a run again before it knew. Raises sqlalchemy.exc.SQLAlchemyError.
    """
    runs = database.tables.workflow_status
    is_named: Any = runs.c.attributes.is_not(None)
    if database.engine.dialect.name == "postgresql":
        is_named = sa.type_coerce(runs.c.attributes, JSONB).contains({"deaths": [worker]})
    named = sa.select(runs.c.workflow_uuid, runs.c.attributes, runs.c.queue_name, runs.c.status)
    named = named.where(is_named, runs.c.status.in_(ACTIVE)).order_by(runs.c.workflow_uuid).with_for_update()
    with database.engine.begin() as connection:
        for run_id, about, queue, status in connection.execute(named).all():
            counted: list[str] = (about or {}).get("deaths", [])
            if worker not in counted:
                continue
            deaths = [each for each in counted if each != worker]
            left = {"deaths": deaths, "steps": about["steps"]} if deaths else {"deaths": None, "steps": None}
            describe(database, connection, left, run_id)
            if (queue, status) == (SUSPECTS, "ENQUEUED") and len(deaths) < SUSPECTED_AFTER:
                connection.execute(sa.update(runs).where(runs.c.workflow_uuid == run_id).values(queue_name=QUEUE))


def _waiting(database: SystemDatabase, connection: sa.Connection, run_ids: Sequence[str]) -> set[str]:
    """Return those of some runs that only waited."""
    events, steps = database.tables.workflow_events, database.tables.operation_outputs
    asked: Mapping[str, Any] = {
        run_id: json.loads(value)
        for run_id, value in connection.execute(
            sa.select(events.c.workflow_uuid, events.c.value).where(
                events.c.key == QUESTIONS, events.c.workflow_uuid.in_(run_ids)
            )
        )
    }
    answered = {(run_id, answer["question"]) for run_id, answer in answers_in(database, connection, [*asked])}
    waiting = {
        run_id
        for run_id, questions in asked.items()
        if any((run_id, question["id"]) not in answered for question in questions.values())
    }
    awaiting = sa.select(events.c.workflow_uuid).where(
        events.c.key == AWAITED, events.c.value != "[]", events.c.workflow_uuid.in_(run_ids)
    )
    waiting |= {*connection.execute(awaiting).scalars()}
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
    agents = sa.select(parent, runs.c.workflow_uuid).where(
        runs.c.status.in_(ACTIVE), runs.c.priority == BY_CALL, parent.in_(run_ids)
    )
    return waiting | {run_id for run_id, child in connection.execute(agents) if is_below(run_id, child)}


def _steps(database: SystemDatabase, connection: sa.Connection, run_ids: Sequence[str]) -> dict[str, int]:
    """Return how many steps each run has done."""
    steps = database.tables.operation_outputs
    counted = sa.select(steps.c.workflow_uuid, sa.func.count()).where(steps.c.workflow_uuid.in_(run_ids))
    return {run_id: count for run_id, count in connection.execute(counted.group_by(steps.c.workflow_uuid))}  # noqa: C416  # rows are no pairs to mypy


def _give_up(database: SystemDatabase, connection: sa.Connection, run_ids: Sequence[str]) -> None:
    """Let runs fail, as DBOS does after its own limit of recoveries, which counts every execution."""
    runs = database.tables.workflow_status
    now: Any = database._now_ms_sql()  # noqa: SLF001  # the clock of the database
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
