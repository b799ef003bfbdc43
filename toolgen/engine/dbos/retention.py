"""Retention: runs that ended long ago are deleted, by a command or by workers on their own.

Of several workers one does it at a time: it takes the only row of a table for a while, and renews that with each batch.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from toolgen.engine.dbos.database import RUN, STATES, described, parent_of, warn_of
from toolgen.engine.dbos.own_tables import RETENTION
from toolgen.engine.dbos.private import now_ms
from toolgen.engine.dbos.reading import reading
from toolgen.engine.dbos.tables import ACTIVE, TERMINAL, about_in, now_of
from toolgen.engine.protocol import Pruned, Retention
from toolgen.runtime.base.field_types import NUMBER, OPTIONAL_NUMBER, TEXT, check_fields
from toolgen.schema.json_values import is_text

if TYPE_CHECKING:
    from toolgen.engine.dbos.private import SystemDatabase

ROUND: Final = 3600.0
"""Seconds from the end of a round until some worker begins the next one."""

_HELD: Final = 120.0
"""Seconds for which a worker has the round; more than a batch takes."""

_LOOK: Final = 60.0
"""Seconds after which a worker looks whether a round is due."""

_FOUND: Final = 10_000
"""How many runs a search finds."""

_BATCH: Final = 100
"""How many runs a transaction deletes. Some have thousands of steps."""

_PAUSE: Final = 0.05
"""Seconds between two batches of a worker, in which others write."""


class OldRuns:
    """The runs in a database that ended at least so many seconds ago, by its clock.

    Kept are runs that calls started as long as the run at the top is: one that goes on, or is resumed, may ask for
    their results.
    """

    def __init__(self, database: SystemDatabase, seconds: float) -> None:
        self._database: Final = database
        self._seconds: Final = seconds
        self._before: int | None = None
        self._last: tuple[int, str] = (-1, "")
        self._found: Sequence[str] = ()

    def delete_batch(self) -> Pruned | None:
        """Delete some of them; return which, and None when there are no more.

        Raises sqlalchemy.exc.SQLAlchemyError; then the same ones are deleted by the next call.
        """
        if self._before is None:
            self._before = int((now_of(self._database) - self._seconds) * 1000)
        if not self._found:
            self._found = self._find(self._before)
        if not self._found:
            return None
        deleted = _delete(self._database, self._found[:_BATCH], self._before)
        self._found = self._found[_BATCH:]
        return deleted

    def _find(self, before: int) -> list[str]:
        runs = self._database.tables.workflow_status
        place = sa.tuple_(runs.c.completed_at, runs.c.workflow_uuid)
        old = sa.select(runs.c.completed_at, runs.c.workflow_uuid).where(
            runs.c.name == RUN, runs.c.status.in_(TERMINAL), runs.c.completed_at <= before
        )
        old = old.where(place > sa.tuple_(*map(sa.literal, self._last)))
        with self._database.engine.connect() as connection:
            found = connection.execute(old.order_by(*place.clauses).limit(_FOUND)).all()
        if found:
            self._last = (found[-1].completed_at, found[-1].workflow_uuid)
        return [row.workflow_uuid for row in found]


def _delete(database: SystemDatabase, run_ids: Sequence[str], before: int) -> Pruned:
    """Delete those of some runs that still have ended then, and whose run at the top has; DBOS deletes others too."""
    tables = database.tables
    runs = tables.workflow_status
    with database.engine.begin() as connection:
        if database.engine.dialect.name == "sqlite":
            connection.execute(sa.text("BEGIN IMMEDIATE"))  # it locks no rows
        top = _tops(database, connection, run_ids)
        # Those at the top stay as they are until the end of the transaction: nobody resumes one meanwhile.
        is_kept = sa.or_(runs.c.status.in_(ACTIVE), sa.func.coalesce(runs.c.completed_at, 0) > before)
        tops = sa.select(runs.c.workflow_uuid, is_kept)
        tops = tops.where(runs.c.workflow_uuid.in_(sorted({*top.values()}))).order_by(runs.c.workflow_uuid)
        are_kept = {run_id for run_id, kept in connection.execute(tops.with_for_update()) if kept}
        old = [run_id for run_id in run_ids if top[run_id] not in are_kept]
        ended = sa.delete(runs).where(
            runs.c.workflow_uuid.in_(old), runs.c.status.in_(TERMINAL), runs.c.completed_at <= before
        )
        gone = connection.execute(
            ended.returning(runs.c.workflow_uuid, runs.c.status, about_in(runs).label("about"))
        ).all()
        ids = [row.workflow_uuid for row in gone]
        for table in (tables.workflow_input, tables.workflow_output, tables.operation_outputs):
            connection.execute(sa.delete(table).where(table.c.workflow_uuid.in_(ids)))
    states = Counter[str](STATES.get(row.status, "failed") for row in gone)
    agents = Counter(_agent(row.about) for row in gone)
    return Pruned(runs=len(gone), states=dict(states), agents=dict(agents))


def _tops(database: SystemDatabase, connection: sa.Connection, run_ids: Sequence[str]) -> dict[str, str]:
    """Return the run at the top of the chain of calls that started each run, as far as the rows of the chain exist."""
    runs = database.tables.workflow_status
    about = sa.select(runs.c.workflow_uuid, runs.c.priority, about_in(runs))
    parents: dict[str, str] = {}
    unknown = {*run_ids}
    while unknown:
        rows = connection.execute(about.where(runs.c.workflow_uuid.in_(sorted(unknown)))).all()
        found = {run_id: parent_of(priority, described(text)) for run_id, priority, text in rows}
        parents |= found
        unknown = {parent for parent in found.values() if parent} - parents.keys()
    return {run_id: _top(run_id, parents) for run_id in run_ids}


def _top(run_id: str, parents: Mapping[str, str]) -> str:
    seen: set[str] = set()
    while (parent := parents.get(run_id)) and run_id not in seen:  # rows may name each other
        seen.add(run_id)
        run_id = parent
    return run_id


def _agent(about: str | None) -> str:
    agent = described(about).get("agent")
    return agent if agent and is_text(agent) else "-"


async def keep_deleting(
    database: SystemDatabase, worker: str, seconds: float, on_deleted: Callable[[Pruned], object]
) -> None:
    """Delete runs that ended so many seconds ago whenever a round is due, until this is cancelled.

    `on_deleted` is called after each round of this worker.
    """
    while True:
        try:
            await _round(database, worker, seconds, on_deleted)
        except Exception as error:  # noqa: BLE001  # the database is away: the next round deletes the rest
            warn_of("a worker cannot delete old runs", error=error)
        await asyncio.sleep(_LOOK * random.uniform(0.9, 1.1))  # noqa: S311  # so that not all look at once


async def _round(database: SystemDatabase, worker: str, seconds: float, on_deleted: Callable[[Pruned], object]) -> None:
    token = token_hex(8)
    if not await asyncio.to_thread(_take, database, worker, token, seconds):
        return
    total, old = Pruned(), OldRuns(database, seconds)
    while (batch := await asyncio.to_thread(old.delete_batch)) is not None:
        total += batch
        if not await asyncio.to_thread(_renew, database, token):
            break  # this worker stood still: another one goes on
        await asyncio.sleep(_PAUSE)
    else:
        await asyncio.to_thread(_finish, database, token, total)
    on_deleted(total)


def _take(database: SystemDatabase, worker: str, token: str, seconds: float) -> bool:
    """Take the round for a worker if one is due and no other has it; return whether it has it."""
    first = database.dialect.insert(RETENTION).values(id=1, worker="", token="", seconds=0.0, next_at=0.0)
    due = sa.update(RETENTION).where(RETENTION.c.id == 1)
    with database.engine.begin() as connection:
        now = _now(database, connection)
        connection.execute(first.on_conflict_do_nothing(index_elements=["id"]))
        taken = due.where(RETENTION.c.next_at <= now)
        values = {"worker": worker, "token": token, "seconds": seconds, "next_at": now + _HELD}
        return bool(connection.execute(taken.values(**values)).rowcount)


def _renew(database: SystemDatabase, token: str) -> bool:
    """Keep the round for longer; return whether the worker still has it."""
    with database.engine.begin() as connection:
        renewed = sa.update(RETENTION).where(RETENTION.c.token == token)
        return bool(connection.execute(renewed.values(next_at=_now(database, connection) + _HELD)).rowcount)


def _finish(database: SystemDatabase, token: str, deleted: Pruned) -> None:
    """Note what a round has deleted, and when the next one is due."""
    with database.engine.begin() as connection:
        now = _now(database, connection)
        done = sa.update(RETENTION).where(RETENTION.c.token == token)
        connection.execute(done.values(next_at=now + ROUND, ended_at=now, deleted=json.dumps(deleted.as_json())))


def retention_of(database: SystemDatabase) -> Retention | None:
    """Return what workers delete by themselves; None if none has done so. Raises sqlalchemy.exc.SQLAlchemyError."""
    with database.engine.connect() as connection:
        row = connection.execute(sa.select(RETENTION).where(RETENTION.c.token != "")).one_or_none()
    if row is None:
        return None
    with reading("what workers delete by themselves"):
        deleted = Pruned() if row.deleted is None else Pruned.from_json(json.loads(row.deleted))
        kept = Retention(seconds=row.seconds, worker=row.worker, ended=row.ended_at, next=row.next_at, deleted=deleted)
        check_fields(kept, {"seconds": NUMBER, "worker": TEXT, "ended": OPTIONAL_NUMBER, "next": NUMBER})
    return kept


def _now(database: SystemDatabase, connection: sa.Connection) -> float:
    """Return the time of the clock of the database, in seconds since 1970."""
    milliseconds: Any = connection.execute(sa.select(now_ms(database))).scalar()
    return float(milliseconds) / 1000
