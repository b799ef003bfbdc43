"""What is done in the tables of DBOS itself: runs that are cancelled as one, and what many runs wait for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import sqlalchemy as sa

from toolgen.agents.loop import MAX_TURNS
from toolgen.engine.calls import CALL_PREFIX
from toolgen.engine.dbos.database import (
    AWAITED,
    BY_CALL,
    CHILD_LENGTH,
    PROGRESS,
    QUESTIONS,
    QUEUE,
    SUSPECTS,
    VERSION,
    YEAR_10_000,
    JsonSerializer,
    below,
    described,
    parent_of,
)
from toolgen.engine.dbos.flow import SIGNAL, TOPIC, allowed_topic_of, once_of, signal_topic, topic_of
from toolgen.engine.dbos.metrics import Load
from toolgen.engine.dbos.own_tables import SCHEDULES
from toolgen.engine.dbos.private import in_transaction, now_ms
from toolgen.engine.dbos.reading import reading
from toolgen.engine.host import AGENTS
from toolgen.engine.requests import MOST_TURNS
from toolgen.engine.signals import NotSignalled, RunSignal, kept
from toolgen.engine.steps import steps_to_repeat
from toolgen.runtime.base.field_types import is_finite
from toolgen.runtime.events.records import DamagedRun, RunNotFound
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from dbos import DBOSClient

    from toolgen.engine.dbos.private import SystemDatabase
    from toolgen.engine.requests import Json

T = TypeVar("T")

ACTIVE: Final = ("DELAYED", "ENQUEUED", "PENDING")
"""The states of workflows that have not ended, as DBOS names them."""

TERMINAL: Final = ("SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
"""Those of workflows that have."""

_STOPPED: Final = ("CANCELLED", "ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
"""Those of workflows that can be resumed."""

_MADE_BY: Final = "made_by"
"""What the row of a run says about the call that resumed or forked it last: a token, by which a repetition knows it."""

_DESCRIBED: Final = ("reason", "detail", "deaths", "steps", "waits", "waits_at")
"""What the row of a run says about the end of it, or what was counted; one that is resumed, and a fork, begin anew."""
_MOST_COUNTED: Final = 100_000
_MOST_QUESTIONS: Final = 1000
"""Rows that are counted for metrics at most."""

_SHORTER_WAITS: Final = 5
_MOST_WAITS: Final = 2**31
_LONGEST_WAIT: Final = 30
"""Seconds at most until a run that waits for a tool looks for a worker that has it again."""

_BATCH: Final = 1000
"""How many ids a statement has: SQLite takes 32,766 values."""


def cancel_run(database: SystemDatabase, run_id: str) -> None:
    """Cancel a run, unless it has ended, and all below it, in one transaction: what resumes it comes before or after.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    with database.engine.begin() as connection:
        _cancel(database, connection, run_id)


def cancel_child(database: SystemDatabase, parent: str, owner: str, run_id: str) -> None:
    """Cancel a run for the execution of its parent that `owner` is the token of, and all below it.

    Nothing is done if the parent goes on without that execution: the one that has taken over waits for the same run.
    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    with database.engine.begin() as connection:
        found = _lock(database, connection, parent)
        if found is None or found.status not in ACTIVE or found.owner_xid == owner:
            _cancel(database, connection, run_id)


def is_cancelled_for(database: SystemDatabase, parent: str, owner: str, run_id: str) -> bool | None:
    """Return whether a run is cancelled; None if its parent does not go on with the execution `owner` is the token of.

    Both are read in one statement: they are cancelled in one transaction, and resumed in one. What the execution then
    writes is refused by DBOS if it has lost its run in between. Raises sqlalchemy.exc.SQLAlchemyError.
    """
    runs, parents = database.tables.workflow_status, database.tables.workflow_status.alias()
    wanted = sa.select(parents.c.status, parents.c.owner_xid, runs.c.status.label("of_child")).join_from(
        parents, runs, runs.c.workflow_uuid == run_id, isouter=True
    )
    with database.engine.begin() as connection:
        found = connection.execute(wanted.where(parents.c.workflow_uuid == parent)).one_or_none()
    if found is None or found.status not in ACTIVE or found.owner_xid != owner:
        return None
    return bool(found.of_child == "CANCELLED")


def cancel_orphans(database: SystemDatabase) -> None:
    """Cancel the runs that calls of runs started which do not go on: of one whose time was up while no worker ran.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    runs, parents = database.tables.workflow_status, database.tables.workflow_status.alias()
    of_parent = parent_in(runs.c.workflow_uuid)
    orphans = (
        sa.select(parents.c.workflow_uuid, runs.c.workflow_uuid, about_in(runs))
        .join_from(runs, parents, parents.c.workflow_uuid == of_parent)
        .where(runs.c.queue_name.in_((QUEUE, SUSPECTS)), runs.c.status.in_(ACTIVE), runs.c.priority == BY_CALL)
        .where(parents.c.status.not_in(ACTIVE))
    )
    with database.engine.begin() as connection:
        found = connection.execute(orphans).all()
    for parent, child, about in found:
        if parent == parent_of(BY_CALL, described(about)):
            cancel_child(database, parent, "", child)


def about_in(runs: sa.FromClause) -> sa.ColumnElement[str]:
    """Return what the rows of runs say about them, in SQL, as the text that `described` reads."""
    return sa.cast(runs.c.attributes, sa.Text)


def parent_in(run_id: sa.ColumnElement[str]) -> sa.ColumnElement[str]:
    """Return what the id of the parent is, in SQL, of a run that has one: see `parent_of`. Empty for a short id."""
    length = sa.func.length(run_id)
    return sa.case((length > CHILD_LENGTH, sa.func.substr(run_id, 1, length - CHILD_LENGTH)), else_="")


def turns_of(database: SystemDatabase, user: str | None) -> tuple[int, int]:
    """Return the first turn of the runs that wait for a worker, and the last of those of a user; 0 without any.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    runs = database.tables.workflow_status
    is_own = runs.c.authenticated_user.is_not_distinct_from(user)
    found = sa.select(sa.func.min(runs.c.priority), sa.func.max(sa.case((is_own, runs.c.priority)))).where(
        runs.c.queue_name == QUEUE, runs.c.status == "ENQUEUED", runs.c.priority != BY_CALL
    )
    with database.engine.begin() as connection:
        first, last = connection.execute(found).one()
    return first or 0, last or 0


def unfinished_calls(database: SystemDatabase, user: str | None) -> tuple[int, int]:
    """Return how many single calls of a user have not ended, and how many of all users.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    runs = database.tables.workflow_status
    is_own = runs.c.authenticated_user.is_not_distinct_from(user)
    found = sa.select(sa.func.count(sa.case((is_own, 1))), sa.func.count()).where(
        runs.c.queue_name.in_((QUEUE, SUSPECTS)),
        runs.c.status.in_(ACTIVE),
        runs.c.workflow_uuid.startswith(CALL_PREFIX, autoescape=True),
    )
    with database.engine.begin() as connection:
        of_user, of_all = connection.execute(found).one()
    return of_user, of_all


def lost_of(database: SystemDatabase, owners: Mapping[str, str]) -> list[str]:
    """Return those of some runs that are cancelled, or do not go on in the executions that `owners` are the tokens of.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    runs = database.tables.workflow_status
    wanted = sa.select(runs.c.workflow_uuid, runs.c.status, runs.c.owner_xid)
    with database.engine.begin() as connection:
        return [
            row.workflow_uuid
            for batch in _batches([*owners])
            for row in connection.execute(wanted.where(runs.c.workflow_uuid.in_(batch)))
            if row.status == "CANCELLED" or row.owner_xid != owners[row.workflow_uuid]
        ]


def cancelled_of(database: SystemDatabase, run_ids: Sequence[str]) -> list[str]:
    """Return those of some runs that are cancelled. DBOS would wait for a database that is away.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    runs = database.tables.workflow_status
    cancelled = sa.select(runs.c.workflow_uuid).where(runs.c.status == "CANCELLED")
    with database.engine.begin() as connection:
        return [
            run_id
            for batch in _batches(run_ids)
            for run_id in connection.execute(cancelled.where(runs.c.workflow_uuid.in_(batch))).scalars()
        ]


def note(database: SystemDatabase, run_id: str, owner: str, reason: str, detail: str) -> None:
    """Note why a run fails, for lists, if the execution that `owner` is the token of still has it.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    runs = database.tables.workflow_status
    with database.engine.begin() as connection:
        describe(database, connection, {"reason": reason, "detail": detail}, run_id, runs.c.owner_xid == owner)


def describe(
    database: SystemDatabase, connection: sa.Connection, about: Mapping[str, Any], run_id: str, *which: Any
) -> None:
    """Change what the row of a run says about it, beside its columns; None removes."""
    runs = database.tables.workflow_status
    is_run = (runs.c.workflow_uuid == run_id, *which)
    kept = sa.update(runs).where(*is_run).values(attributes=runs.c.attributes)  # locks it
    for (before,) in connection.execute(kept.returning(about_in(runs))).all():
        after = {name: value for name, value in {**described(before), **about}.items() if value is not None}
        connection.execute(sa.update(runs).where(*is_run).values(attributes=after))


def resume_run(database: SystemDatabase, run_id: str, parent: str, turns: int, token: str) -> bool:
    """Enqueue a run that was cancelled or has failed, and the runs that were cancelled with it, in one transaction.

    Returns whether it was so, and its parent, if it has one, goes on. Each keeps what it has done, also beside steps
    that failed, and answers that it has not read: DBOS would delete both. Each has its whole timeout, and the run so
    many more turns than before. A repetition with the same token, because the answer was lost, does nothing more.
    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    with database.engine.begin() as connection:
        above = _lock(database, connection, parent) if parent else None
        found = _lock(database, connection, run_id)
        if found is not None and described(found.about).get(_MADE_BY) == token:
            return True
        if found is None or found.status not in _STOPPED or (above is not None and above.status not in ACTIVE):
            return False
        since = min(found.completed_at or 0, _enqueue_again(database, connection, run_id))
        describe(database, connection, {_MADE_BY: token}, run_id)
        if turns:
            _add_turns(database, connection, run_id, turns)
        for each in _below(database, connection, run_id):
            child = _lock(database, connection, each)
            if child is not None and child.status == "CANCELLED" and (child.completed_at or 0) >= since:
                _enqueue_again(database, connection, each)
    return True


def _enqueue_again(database: SystemDatabase, connection: sa.Connection, run_id: str) -> float:
    """Enqueue a run that has stopped, without the steps that it is to repeat.

    Returns when the first of its steps failed, by the clock of the database, in whole seconds since 1970 as
    milliseconds, as SQLite has no shorter ones; infinity if none did.
    """
    runs, steps = database.tables.workflow_status, database.tables.operation_outputs
    outputs = database.tables.workflow_output
    connection.execute(
        sa.update(runs)
        .where(runs.c.workflow_uuid == run_id)
        .values(
            status="ENQUEUED",
            queue_name=QUEUE,
            application_version=VERSION,
            owner_xid=None,
            recovery_attempts=0,
            workflow_deadline_epoch_ms=None,
            started_at_epoch_ms=None,
            updated_at=now_ms(database),
            completed_at=None,
            output=None,
            error=None,
        )
    )
    connection.execute(sa.delete(outputs).where(outputs.c.workflow_uuid == run_id))
    describe(database, connection, dict.fromkeys(_DESCRIBED), run_id)
    done_steps = sa.select(
        steps.c.function_id, steps.c.function_name, steps.c.error.is_not(None), steps.c.retention_timestamp
    ).where(steps.c.workflow_uuid == run_id)
    with reading(f"a step of {run_id!a}"):
        again, failed_at = steps_to_repeat(connection.execute(done_steps.order_by(steps.c.function_id)).all())
    for batch in _batches(again):
        connection.execute(sa.delete(steps).where(steps.c.workflow_uuid == run_id, steps.c.function_id.in_(batch)))
    return failed_at


def _add_turns(database: SystemDatabase, connection: sa.Connection, run_id: str, turns: int) -> None:
    """Let a run have more turns than its request says."""
    inputs = database.tables.workflow_input
    is_run = inputs.c.workflow_uuid == run_id
    with reading(f"the request of {run_id!a}"):
        given = json.loads(connection.execute(sa.select(inputs.c.inputs).where(is_run)).scalar_one())
        request: Json = given["args"][0]
        request["max_turns"] = min(MOST_TURNS, request.get("max_turns", MAX_TURNS) + turns)
    connection.execute(sa.update(inputs).where(is_run).values(inputs=JsonSerializer().serialize(given)))


def now_of(database: SystemDatabase) -> float:
    """Return the time of the database, in seconds since 1970. Raises sqlalchemy.exc.SQLAlchemyError."""
    now: Any = now_ms(database)
    with database.engine.begin() as connection:
        return float(connection.execute(sa.select(now)).scalar_one()) / 1000


def fork_run(
    database: SystemDatabase, run_id: str, new_id: str, step: int, turn: int, timeout_ms: int | None, token: str
) -> bool:
    """Start a run that has the steps of another one before a step; return whether there was none with its id.

    A repetition with the same token, because the answer was lost, does nothing more. Raises `RunNotFound` for a run
    that has been deleted, and sqlalchemy.exc.SQLAlchemyError.
    """
    runs = database.tables.workflow_status
    with database.engine.begin() as connection:
        if _lock(database, connection, run_id) is None:  # nobody deletes its steps meanwhile
            raise RunNotFound(run_id)
        made = connection.execute(sa.select(about_in(runs)).where(runs.c.workflow_uuid == new_id)).one_or_none()
        if made is not None:
            return bool(described(made[0]).get(_MADE_BY) == token)
        in_transaction(database, connection).fork_workflow(
            [run_id],
            [new_id],
            [step],
            application_version=VERSION,
            queue_name=QUEUE,
            workflow_timeout_ms=timeout_ms,
        )
        connection.execute(sa.update(runs).where(runs.c.workflow_uuid == new_id).values(priority=turn))
        describe(database, connection, {**dict.fromkeys(_DESCRIBED), _MADE_BY: token}, new_id)
    return True


def agents_of(database: SystemDatabase, run_id: str) -> int:
    """Return how many agents the calls of a run started whose outcomes are kept, as others are made again.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    steps = database.tables.operation_outputs
    outcomes = sa.select(steps.c.output).where(
        steps.c.workflow_uuid == run_id, steps.c.output.contains(f'"{AGENTS}":', autoescape=True)
    )
    with database.engine.begin() as connection:
        kept = [json.loads(output) for output in connection.execute(outcomes).scalars()]
    return sum(outcome.get(AGENTS, 0) for outcome in kept if is_object(outcome))


def is_owned(database: SystemDatabase, run_id: str, owner: str) -> bool:
    """Return whether a run goes on in the execution that `owner` is the token of.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    runs = database.tables.workflow_status
    owned = sa.select(runs.c.workflow_uuid).where(runs.c.workflow_uuid == run_id, runs.c.status == "PENDING")
    with database.engine.connect() as connection:
        return connection.execute(owned.where(runs.c.owner_xid == owner)).first() is not None


def give_up(database: SystemDatabase, run_id: str, owner: str) -> None:
    """Enqueue a run again, unless another execution than that of `owner` has it, or it does not go on.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    runs = database.tables.workflow_status
    now: Any = now_ms(database)
    owned = sa.update(runs).where(runs.c.workflow_uuid == run_id, runs.c.owner_xid == owner, runs.c.status == "PENDING")
    values = {"status": "ENQUEUED", "owner_xid": None, "started_at_epoch_ms": None}  # a suspect stays in its queue
    with database.engine.begin() as connection:
        connection.execute(owned.values(**values, updated_at=now))


def wait_for_tool(database: SystemDatabase, run_id: str, owner: str, seconds: float) -> bool:
    """Leave a run to a worker that has a tool as it was, after a while; return whether it goes on to wait.

    It has waited so many seconds at most since it came further. It repeats the calls that were refused. Nothing is done
    if another execution than that of `owner` has it. Raises sqlalchemy.exc.SQLAlchemyError.
    """
    runs, steps = database.tables.workflow_status, database.tables.operation_outputs
    now: Any = now_ms(database)
    is_owned = (runs.c.workflow_uuid == run_id, runs.c.owner_xid == owner, runs.c.status == "PENDING")
    with database.engine.begin() as connection:
        kept = sa.update(runs).where(*is_owned).values(owner_xid=owner).returning(about_in(runs).label("about"))
        found = connection.execute(kept).one_or_none()
        if found is None:
            return True
        done = sa.select(
            steps.c.function_id, steps.c.function_name, steps.c.error.is_not(None), steps.c.completed_at_epoch_ms
        ).where(steps.c.workflow_uuid == run_id)
        rows = connection.execute(done.order_by(steps.c.function_id)).all()
        again, _ = steps_to_repeat(rows)
        about, at = described(found.about), len(rows) - len(again)
        waits = about.get("waits") if about.get("waits_at") == at else 0
        waits = waits if isinstance(waits, int) and 0 <= waits < _MOST_WAITS else 0
        left = seconds - sum(map(_wait, range(min(waits, _SHORTER_WAITS))))
        left -= _LONGEST_WAIT * max(0, waits - _SHORTER_WAITS)
        if left <= 0:
            return False
        connection.execute(
            sa.delete(steps).where(steps.c.workflow_uuid == run_id, steps.c.function_id.in_(again[:_BATCH]))
        )
        describe(database, connection, {"waits": waits + 1, "waits_at": at}, run_id)
        connection.execute(
            sa.update(runs)
            .where(*is_owned)
            .values(
                status="DELAYED",
                queue_name=QUEUE,
                delay_until_epoch_ms=now + int(1000 * min(left, _wait(waits))),
                owner_xid=None,
                started_at_epoch_ms=None,
                updated_at=now,
            )
        )
    return True


def _wait(waits: int) -> int:
    """Return the seconds that a run waits for a tool after so many waits."""
    return 2**waits if waits < _SHORTER_WAITS else _LONGEST_WAIT


def waiting_of(database: SystemDatabase, run_ids: Sequence[str]) -> set[str]:
    """Return those of some runs that wait for a person or for a signal; one that cannot be read needs a person.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    waiting: set[str] = set()
    with database.engine.begin() as connection:
        for batch in _batches(run_ids):
            asking, damaged = asking_in(database, connection, batch)
            waiting |= asking | damaged.keys() | awaiting_in(database, connection, batch)
    return waiting


def asking_in(
    database: SystemDatabase, connection: sa.Connection, run_ids: Sequence[str]
) -> tuple[set[str], dict[str, DamagedRun]]:
    """Return those of some runs that wait for a person, and those of which nobody can tell that, with why.

    In a transaction. Each run is judged by itself. Raises sqlalchemy.exc.SQLAlchemyError.
    """
    asked = _events(database, connection, QUESTIONS, run_ids)
    given: dict[str, list[str]] = {}
    for run_id, message in connection.execute(_answers(database, [*asked])):
        given.setdefault(run_id, []).append(message)
    asking: set[str] = set()
    damaged: dict[str, DamagedRun] = {}
    for run_id, questions in asked.items():
        try:
            if _is_open(run_id, questions, given.get(run_id, ())):
                asking.add(run_id)
        except DamagedRun as error:
            damaged[run_id] = error
    return asking, damaged


def _is_open(run_id: str, asked: str, given: Iterable[str]) -> bool:
    """Whether a run has a question without an answer, by the JSON texts of both. Raises `DamagedRun`."""
    with reading(f"a question of {run_id!a}"):
        ids = {question["id"] for question in json.loads(asked).values()}
    with reading(f"an answer of {run_id!a}"):
        return bool(ids - {json.loads(answer)["question"] for answer in given})


def awaiting_in(database: SystemDatabase, connection: sa.Connection, run_ids: Sequence[str]) -> set[str]:
    """Return those of some runs that wait for a signal, in a transaction. Raises sqlalchemy.exc.SQLAlchemyError."""
    return {run_id for run_id, names in _events(database, connection, AWAITED, run_ids).items() if names != "[]"}


def _events(database: SystemDatabase, connection: sa.Connection, key: str, run_ids: Sequence[str]) -> dict[str, str]:
    """Return an event of runs as it is kept, by run."""
    events = database.tables.workflow_events
    wanted = sa.select(events.c.workflow_uuid, events.c.value)
    found = connection.execute(wanted.where(events.c.key == key, events.c.workflow_uuid.in_(run_ids)))
    return {run_id: value for run_id, value in found}  # noqa: C416  # rows are no pairs to mypy


def event_of(database: SystemDatabase, key: str, run_id: str) -> Any:
    """Return an event of a run, such as what it asks; None without one. Raises sqlalchemy.exc.SQLAlchemyError."""
    with database.engine.begin() as connection:
        found = _events(database, connection, key, [run_id])
    with reading(f"an event {key!a} of {run_id!a}"):
        return json.loads(found[run_id]) if found else None


def answers_of(database: SystemDatabase, run_id: str) -> list[Any]:
    """Return the answers that a run was given, in order, also those that no worker has read.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    with database.engine.begin() as connection:
        given = connection.execute(_answers(database, [run_id])).all()
    with reading(f"an answer of {run_id!a}"):
        return [json.loads(each.message) for each in given]


def add_answer(database: SystemDatabase, client: DBOSClient, run_id: str, question: str, answer: Json) -> Json:
    """Send an answer to a run, unless the question has one, in one transaction; return the answer that it has now.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    messages = database.tables.notifications
    topic = topic_of(question)
    with database.engine.begin() as connection:
        client.send_in_transaction(connection, run_id, answer, topic, once_of(run_id, question))
        wanted = _answers(database, [run_id]).where(messages.c.topic == topic)
        with reading(f"an answer of {run_id!a}"):
            kept: Json = json.loads(connection.execute(wanted).one().message)
    return kept


def add_allowed(
    database: SystemDatabase, client: DBOSClient, run_id: str, question: str, place: int, answer: Json
) -> Json:
    """Note that someone has allowed a call, unless the place is taken, in one transaction; return who has it now.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    messages = database.tables.notifications
    topic = allowed_topic_of(question, place)
    with database.engine.begin() as connection:
        client.send_in_transaction(connection, run_id, answer, topic, f"{once_of(run_id, question)} {place}")
        wanted = sa.select(messages.c.message).where(messages.c.destination_uuid == run_id, messages.c.topic == topic)
        with reading(f"an answer of {run_id!a}"):
            kept: Json = json.loads(connection.execute(wanted).one().message)
    return kept


def signals_of(database: SystemDatabase, run_id: str) -> list[RunSignal]:
    """Return the signals that a run was sent, in order. Raises sqlalchemy.exc.SQLAlchemyError."""
    with database.engine.begin() as connection:
        return _signals(database, connection, run_id)


def add_signal(database: SystemDatabase, client: DBOSClient, run_id: str, signal: RunSignal, once: str) -> RunSignal:
    """Send a signal to a run, in one transaction; return it, or the one that it repeats.

    A database takes one signal with the same `once` to a run, see `once_of_key`. Raises `NotSignalled`, and
    sqlalchemy.exc.SQLAlchemyError.
    """
    with database.engine.begin() as connection:
        found = _lock(database, connection, run_id)  # those who send at the same time are counted one after the other
        before = kept(run_id, signal, _signals(database, connection, run_id))
        if before is not None:
            return before
        if found is None or found.status not in ACTIVE:
            raise NotSignalled(run_id, signal.name, "it does not go on")
        client.send_in_transaction(connection, run_id, signal.as_json(), signal_topic(signal.name), once)
    return signal


def _signals(database: SystemDatabase, connection: sa.Connection, run_id: str) -> list[RunSignal]:
    messages = database.tables.notifications
    wanted = sa.select(messages.c.created_at_epoch_ms, messages.c.message).where(
        messages.c.destination_uuid == run_id, messages.c.topic.startswith(SIGNAL)
    )
    with reading(f"a signal of {run_id!a}"):
        found = [(created, RunSignal.from_json(json.loads(message))) for created, message in connection.execute(wanted)]
        return [signal for _, signal in sorted(found, key=lambda each: (each[0], each[1].at))]


def write_progress(database: SystemDatabase, run_id: str, report: Json) -> None:
    """Write the latest report of a run, in place of that before. Raises sqlalchemy.exc.SQLAlchemyError."""
    events = database.tables.workflow_events
    value = json.dumps(report)
    row = database.dialect.insert(events).values(workflow_uuid=run_id, key=PROGRESS, value=value)
    with database.engine.begin() as connection:
        connection.execute(row.on_conflict_do_update(index_elements=["workflow_uuid", "key"], set_={"value": value}))


def load_of(database: SystemDatabase) -> Load:
    """Return what waits in a database, by its clock; it costs as much for a million runs as for 100,000.

    Raises sqlalchemy.exc.SQLAlchemyError.
    """
    runs = database.tables.workflow_status
    now: Any = now_ms(database)
    # Not since when it exists: a run that was resumed, or taken over, may be days old.
    in_queue = sa.select(runs.c.updated_at).where(runs.c.queue_name.in_((QUEUE, SUSPECTS)), runs.c.status == "ENQUEUED")
    queued = in_queue.limit(_MOST_COUNTED).subquery()
    asking = _asking(database).order_by("since").limit(_MOST_QUESTIONS)
    due = sa.select(sa.func.min(SCHEDULES.c.next_at))
    with database.engine.begin() as connection:
        time: int = connection.execute(sa.select(now)).scalar_one()
        count, oldest = connection.execute(sa.select(sa.func.count(), sa.func.min(queued.c.updated_at))).one()
        asked = {run_id: since for run_id, _, since in connection.execute(asking)}
        is_open, damaged = asking_in(database, connection, [*asked])
        first_due: Any = connection.execute(due).scalar()
    since = [_moment(asked[run_id], time) for run_id in is_open | damaged.keys()]
    return Load(
        queue_runs=count,
        queue_oldest_seconds=max(0, time - _moment(oldest, time)) / 1000,
        questions_open=len(since),
        question_oldest_seconds=max(0, time - min(since, default=time)) / 1000,
        schedule_late_seconds=max(0.0, time / 1000 - (first_due if is_finite(first_due) else time / 1000)),
    )


def _moment(value: Any, otherwise: int) -> int:
    """Return a time of a row, in milliseconds since 1970, or another one for what is none: SQLite takes any value."""
    return value if isinstance(value, int) and 0 <= value < YEAR_10_000 else otherwise


def asking_runs(database: SystemDatabase, user: str | None, *, in_turn: bool, skip: int, limit: int) -> dict[str, int]:
    """Return a page of the runs that ask a person, with when they asked, in milliseconds since 1970.

    They are in the order of `Engine.asking`. Raises sqlalchemy.exc.SQLAlchemyError.
    """
    of_user = None if user is None else database.tables.workflow_status.c.authenticated_user == user
    asking = (_asking(database) if of_user is None else _asking(database).where(of_user)).subquery()
    order: list[Any] = [asking.c.since, asking.c.workflow_uuid]
    if in_turn:
        order.insert(0, sa.func.row_number().over(partition_by=asking.c.authenticated_user, order_by=[*order]))
    found = sa.select(asking.c.workflow_uuid, asking.c.since).order_by(*order).limit(limit).offset(skip)
    with database.engine.begin() as connection:
        return {run_id: _moment(since, 0) for run_id, since in connection.execute(found)}


def _asking(database: SystemDatabase) -> sa.Select[Any, Any, Any]:
    """Return the runs that ask a person, for whom, and since when."""
    runs, steps, events = (
        database.tables.workflow_status,
        database.tables.operation_outputs,
        database.tables.workflow_events,
    )
    since = sa.func.max(steps.c.completed_at_epoch_ms).label("since")
    return (
        sa.select(runs.c.workflow_uuid, runs.c.authenticated_user, since)
        .join_from(runs, events, events.c.workflow_uuid == runs.c.workflow_uuid)
        .join(steps, steps.c.workflow_uuid == runs.c.workflow_uuid)
        .where(runs.c.status == "PENDING", events.c.key == QUESTIONS, events.c.value != "{}")
        .where(steps.c.function_name == "DBOS.setEvent")
        .group_by(runs.c.workflow_uuid, runs.c.authenticated_user)
    )


def _answers(database: SystemDatabase, run_ids: Sequence[str]) -> sa.Select[Any, Any]:
    messages = database.tables.notifications
    found = sa.select(messages.c.destination_uuid, messages.c.message)
    found = found.where(messages.c.topic.startswith(TOPIC), messages.c.destination_uuid.in_(run_ids))
    return found.order_by(messages.c.created_at_epoch_ms)


def _cancel(database: SystemDatabase, connection: sa.Connection, run_id: str) -> None:
    """Cancel, as DBOS does, which has no function for several runs that leaves the transaction to its caller."""
    runs = database.tables.workflow_status
    now: Any = now_ms(database)
    _lock(database, connection, run_id)  # also one that is cancelled: what resumes it must not come in between
    # Those that are cancelled already keep the time of that: a run is resumed with those that were cancelled with it.
    cancelled = sa.update(runs).where(runs.c.status.not_in(("SUCCESS", "ERROR", "CANCELLED")))
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
    for each in _below(database, connection, run_id):
        _lock(database, connection, each)
        connection.execute(cancelled.where(runs.c.workflow_uuid == each))


def _lock(database: SystemDatabase, connection: sa.Connection, run_id: str) -> Any:
    """Keep a run as it is until the end of the transaction, and return what it is, or None without a run.

    It is an update without a condition. Postgres passes over a row that does not meet one, without waiting for whoever
    is changing the row, and the next statement finds it changed. Parents are locked before what their calls started.
    """
    runs = database.tables.workflow_status
    locked = sa.update(runs).where(runs.c.workflow_uuid == run_id).values(owner_xid=runs.c.owner_xid)
    found = locked.returning(runs.c.status, runs.c.owner_xid, runs.c.completed_at, about_in(runs).label("about"))
    return connection.execute(found).one_or_none()


def _below(database: SystemDatabase, connection: sa.Connection, run_id: str) -> list[str]:
    """Return the runs that the calls of a run started, at any depth.

    They are sorted: of two transactions that change them one waits, not both.
    """
    runs = database.tables.workflow_status
    prefixed = runs.c.workflow_uuid.startswith(f"{run_id}.", autoescape=True)
    started = sa.select(runs.c.workflow_uuid, about_in(runs)).where(prefixed, runs.c.priority == BY_CALL)
    parents = {child: parent_of(BY_CALL, described(about)) for child, about in connection.execute(started)}
    return sorted(below(run_id, parents))


def _batches(ids: Sequence[T]) -> Iterator[Sequence[T]]:
    return (ids[at : at + _BATCH] for at in range(0, len(ids), _BATCH))
