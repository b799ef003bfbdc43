"""What is done in the tables of DBOS itself: runs that are cancelled as one, and what many runs wait for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from toolgen.engine.dbos.database import QUESTIONS, is_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dbos._sys_db import SystemDatabase

    from toolgen.engine.requests import Json

ACTIVE: Final = ("DELAYED", "ENQUEUED", "PENDING")
"""The states of workflows that have not ended, as DBOS names them."""

_BATCH: Final = 1000
"""How many ids a statement has: SQLite takes 32,766 values."""


def cancel_run(database: SystemDatabase, run_id: str) -> None:
    """Cancel a run, unless it has ended, and all below it, in one transaction: what resumes it comes before or after.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    with database.engine.begin() as connection:
        _cancel(database, connection, run_id)


def cancel_child(database: SystemDatabase, parent: str, owner: str | None, run_id: str) -> None:
    """Cancel a run for the execution of its parent that `owner` is the token of, and all below it.

    Nothing is done if the parent goes on without that execution: the one that has taken over waits for the same run.
    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    runs = database.tables.workflow_status
    with database.engine.begin() as connection:
        # An update, so that the parent stays as it is until the end of the transaction.
        kept = sa.update(runs).where(runs.c.workflow_uuid == parent).values(owner_xid=runs.c.owner_xid)
        found = connection.execute(kept.returning(runs.c.status, runs.c.owner_xid)).one_or_none()
        if found is None or found.status not in ACTIVE or found.owner_xid == owner:
            _cancel(database, connection, run_id)


def questions_of(database: SystemDatabase, run_ids: Sequence[str]) -> dict[str, Json]:
    """Return what runs ask, by run and by the key of the call; DBOS would look at one run after another.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    events = database.tables.workflow_events
    asked: dict[str, Json] = {}
    with database.engine.begin() as connection:
        for batch in _batches(run_ids):
            wanted = sa.select(events.c.workflow_uuid, events.c.value).where(
                events.c.key == QUESTIONS, events.c.workflow_uuid.in_(batch)
            )
            asked |= {run_id: json.loads(value) for run_id, value in connection.execute(wanted)}
    return asked


def _cancel(database: SystemDatabase, connection: sa.Connection, run_id: str) -> None:
    """Cancel, as DBOS does, which has no function for several runs that leaves the transaction to its caller."""
    runs = database.tables.workflow_status
    now: Any = database._now_ms_sql()  # noqa: SLF001  # the clock of the database, which DBOS compares it with
    cancelled = sa.update(runs).where(runs.c.status.not_in(("SUCCESS", "ERROR")))
    cancelled = cancelled.values(
        status="CANCELLED",
        owner_xid=None,
        queue_name=None,
        deduplication_id=None,
        started_at_epoch_ms=None,
        updated_at=now,
        completed_at=now,
    )
    connection.execute(cancelled.where(runs.c.workflow_uuid == run_id))
    prefixed = runs.c.workflow_uuid.startswith(f"{run_id}.", autoescape=True)
    ids = connection.execute(sa.select(runs.c.workflow_uuid).where(prefixed)).scalars()
    for below in sorted(each for each in ids if is_below(run_id, each)):  # sorted: two that cancel wait, not both
        connection.execute(cancelled.where(runs.c.workflow_uuid == below))


def _batches(run_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (run_ids[at : at + _BATCH] for at in range(0, len(run_ids), _BATCH))
