"""Schedules in a database, and what starts their runs: any worker, each time once.

When a time has come is decided by the clock of the database. The run is enqueued in the transaction that moves the
schedule on, so of several workers one does both. DBOS has schedules too; see `docs/explanation/architecture.md`.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from toolgen.engine.dbos.database import Failure, enqueue_options, failure_of, warn_of
from toolgen.engine.dbos.own_tables import SCHEDULES
from toolgen.engine.dbos.private import build_enqueue_status, generate_uuid, now_ms
from toolgen.engine.dbos.reading import reading
from toolgen.engine.dbos.tables import turns_of
from toolgen.engine.dbos.turns import UserTurns
from toolgen.engine.schedules import Schedule, ScheduleInfo, ScheduleNotFound
from toolgen.runtime.base.field_types import OPTIONAL_NUMBER, TEXT, check_fields, is_finite
from toolgen.runtime.events.reading import readable
from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    from toolgen.engine.dbos.private import SystemDatabase

_ROUND: Final = 5.0
"""Seconds after which a worker looks for schedules at the latest, such as new ones."""

_INFO: Final = {"by": TEXT, "next_at": OPTIONAL_NUMBER, "last_at": OPTIONAL_NUMBER, "last_run_id": TEXT}
_SHORTEST_ROUND: Final = 0.1
_BATCH: Final = 100


def set_schedule(database: SystemDatabase, schedule: Schedule, by: str) -> ScheduleInfo:
    """Add a schedule, or replace that of its name.

    One that is the same already goes on as it is, and a paused one stays so.
    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    definition = json.dumps(schedule.as_json())
    with database.engine.begin() as connection:
        now = _now(database, connection)
        found = _lock(connection, schedule.name)
        if found is None or found.definition != definition:
            is_paused = found is not None and found.is_paused
            values = {
                "token": token_hex(8),
                "definition": definition,
                "set_by": by,
                "set_at": now,
                "is_paused": is_paused,
                "next_at": None if is_paused else schedule.next_time(now, now),
            }
            added = database.dialect.insert(SCHEDULES).values(name=schedule.name, last_run_id="", **values)
            replaced = added.on_conflict_do_update(index_elements=["name"], set_=values)
            found = connection.execute(replaced.returning(SCHEDULES)).one()
        return _info(found)


def schedules_of(database: SystemDatabase) -> list[ScheduleInfo]:
    """Return all schedules that can be read, by name. Raises sqlalchemy.exc.SQLAlchemyError."""
    with database.engine.begin() as connection:
        return readable(connection.execute(sa.select(SCHEDULES).order_by(SCHEDULES.c.name)), _info)


def pause_schedule(database: SystemDatabase, name: str, *, paused: bool) -> None:
    """Let a schedule start nothing, or go on: times that passed meanwhile are not missed.

    Raises `ScheduleNotFound`, and sqlalchemy.exc.SQLAlchemyError.
    """
    with database.engine.begin() as connection:
        found = _lock(connection, name)
        if found is None:
            raise ScheduleNotFound(name)
        if found.is_paused != paused:
            with reading(f"the schedule {name!a}"):
                next_at = None if paused else _schedule(found).next_time(found.set_at, _now(database, connection))
            paused_ = sa.update(SCHEDULES).where(SCHEDULES.c.name == name)
            connection.execute(paused_.values(is_paused=paused, next_at=next_at))


def _lock(connection: sa.Connection, name: str) -> Any:
    """Keep a schedule as it is until the end of the transaction, and return its row, or None without one."""
    locked = sa.update(SCHEDULES).where(SCHEDULES.c.name == name).values(token=SCHEDULES.c.token)
    return connection.execute(locked.returning(SCHEDULES)).one_or_none()


def schedule_token(database: SystemDatabase, name: str) -> str:
    """Return what a schedule is known by until it is set again.

    Raises `ScheduleNotFound`, and sqlalchemy.exc.SQLAlchemyError.
    """
    with database.engine.begin() as connection:
        found = connection.execute(sa.select(SCHEDULES.c.token).where(SCHEDULES.c.name == name)).scalar()
    if found is None:
        raise ScheduleNotFound(name)
    return str(found)


def remove_schedule(database: SystemDatabase, name: str, token: str) -> None:
    """Remove a schedule, if it is still the one with the token; its runs go on. It may be repeated.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    with database.engine.begin() as connection:
        connection.execute(sa.delete(SCHEDULES).where(SCHEDULES.c.name == name, SCHEDULES.c.token == token))


def start_due(database: SystemDatabase) -> float:
    """Start the runs whose time has come; return the seconds until the next one's time, at most five.

    A schedule whose run cannot be made holds up no other. Raises sqlalchemy.exc.SQLAlchemyError.
    """
    with database.engine.begin() as connection:
        now = _now(database, connection)
    for row in _due(database, now):
        try:
            _start(database, _schedule(row), row, now)
        except Exception as error:  # whoever can write to the database can write anything; raised again if it is away
            if isinstance(error, SQLAlchemyError) and failure_of(error) is not Failure.OF_VALUE:
                raise
            warn("a worker cannot start the run of the schedule %s: it is left to others", row.name, error=error)
    with database.engine.begin() as connection:
        first: Any = connection.execute(
            sa.select(sa.func.min(SCHEDULES.c.next_at)).where(SCHEDULES.c.next_at > now)
        ).scalar()
        now = _now(database, connection)
    return min(_ROUND, max(_SHORTEST_ROUND, first - now)) if is_finite(first) else _ROUND


def _due(database: SystemDatabase, now: float) -> Iterator[Any]:
    """Yield the schedules whose time has come, also beyond a batch of those that cannot be started."""
    place = sa.tuple_(SCHEDULES.c.next_at, SCHEDULES.c.name)
    due = sa.select(SCHEDULES).where(SCHEDULES.c.next_at <= now).order_by(*place.clauses).limit(_BATCH)
    wanted = due
    while True:
        with database.engine.begin() as connection:
            found = connection.execute(wanted).all()
        yield from found
        if len(found) < _BATCH:
            return
        wanted = due.where(place > sa.tuple_(sa.literal(found[-1].next_at), sa.literal(found[-1].name)))


def _start(database: SystemDatabase, schedule: Schedule, row: Any, now: float) -> None:
    """Enqueue the run of the latest time until now, unless another worker has moved the schedule on."""
    time = schedule.latest_time(row.set_at, row.next_at, now)
    request = schedule.request_at(time, row.token)
    turn = UserTurns().next(*turns_of(database, request.user))
    _, status = build_enqueue_status(enqueue_options(request, turn), database.serializer, (request.as_json(),), {})
    moved = sa.update(SCHEDULES).where(SCHEDULES.c.name == row.name, SCHEDULES.c.token == row.token)
    moved = moved.where(SCHEDULES.c.next_at == row.next_at)
    values = {"next_at": schedule.next_time(row.set_at, now), "last_at": time, "last_run_id": request.run_id}
    with database.engine.begin() as connection:
        if connection.execute(moved.values(**values)).rowcount:
            database.init_workflow_with_connection(status, connection, creator_xid=generate_uuid())


async def keep_starting(database: SystemDatabase) -> None:
    """Start runs whenever their time has come, until this is cancelled."""
    while True:
        try:
            pause = await asyncio.to_thread(start_due, database)
        except Exception as error:  # noqa: BLE001  # the database is away, or has no tables: the next round may find it
            warn_of("a worker cannot look for schedules", error=error)
            pause = _ROUND
        await asyncio.sleep(pause + random.uniform(0, _SHORTEST_ROUND))  # noqa: S311  # so that not all look at once


def _now(database: SystemDatabase, connection: sa.Connection) -> float:
    """Return the time of the clock of the database, in seconds since 1970."""
    milliseconds: Any = connection.execute(sa.select(now_ms(database))).scalar()
    return float(milliseconds) / 1000


def _schedule(row: Any) -> Schedule:
    with reading(f"the schedule {row.name!a}"):
        return Schedule.from_json(row.name, json.loads(row.definition))


def _info(row: Any) -> ScheduleInfo:
    info = ScheduleInfo(
        schedule=_schedule(row),
        by=row.set_by,
        is_paused=row.is_paused,
        next_at=row.next_at,
        last_at=row.last_at,
        last_run_id=row.last_run_id,
    )
    with reading(f"the schedule {row.name!a}"):
        check_fields(info, _INFO)
    return info
