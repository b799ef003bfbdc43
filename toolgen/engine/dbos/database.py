"""The database of durable runs: its URL, how values are written to it, and what its users agree on."""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from dbos import DBOS, DBOSClient, Serializer
from dbos import error as dbos_errors
from sqlalchemy import event, exc, make_url
from sqlalchemy.exc import DBAPIError

from toolgen.contract.picklable import Picklable
from toolgen.engine.dbos.connections import (
    BESIDE_WORKER,
    CLIENT,
    Limits,
    close_connections,
    create_file,
    file_url,
    migration_url,
    open_connections,
)
from toolgen.engine.dbos.lease import next_token
from toolgen.engine.dbos.own_tables import create_tables
from toolgen.engine.dbos.private import (
    current_owner_xid,
    database_of,
    db_retry,
    execute_prepared,
    give_up_lost_connections,
    is_unique_violation,
    now_ms,
    refuse_pickles,
)
from toolgen.engine.protocol import RunFailed
from toolgen.runtime.events.records import StoreError
from toolgen.runtime.redact.exceptions import shown_error
from toolgen.runtime.redact.warning import warn
from toolgen.schema.json_values import is_object, is_text

if TYPE_CHECKING:
    from dbos import EnqueueOptions
    from sqlalchemy.engine import ExceptionContext

    from toolgen.engine.dbos.executions import Execution
    from toolgen.engine.dbos.private import OperationResultInternal, RecordedResult, SystemDatabase
    from toolgen.engine.protocol import RunState
    from toolgen.engine.requests import Json, RunRequest

YEAR_10_000: Final = 253_402_300_800_000
"""The first moment, in milliseconds since 1970, that is none of Python's."""

VERSION: Final = "toolgen-1"
"""The version of runs, for all packages of tools: generated code that changes strands no run."""

APPLICATION: Final = "toolgen"
QUEUE: Final = "toolgen"
SUSPECTS: Final = "toolgen_suspects"
"""The queue of runs that may have killed several workers: see `adoption`."""

BY_CALL: Final = 0
BY_PROGRAM: Final = 1
"""The priority of runs that calls started, for which others wait, and the first one of all others: see `Turns`."""

RUN: Final = "toolgen.run"
QUESTIONS: Final = "questions"
PLAN: Final = "plan"
"""The name of steps that ask a planner."""
AWAITED: Final = "signals"
PROGRESS: Final = "progress"
"""The events of a run: what it asks, the names of the signals that it waits for, and the latest report of its call."""

STATES: Final[dict[str, RunState]] = {
    "DELAYED": "queued",
    "ENQUEUED": "queued",
    "PENDING": "running",
    "SUCCESS": "ended",
    "CANCELLED": "cancelled",
}
"""The states of runs by those of DBOS; a run in any other one has failed."""

_EXCEPTION: Final = "$exception"
_END: Final = "$end"
_FAILURE: Final = "$failure"
_UNDEFINED: Final = ("42P01", "3F000")
"""Codes of Postgres for a table and a schema that is not there."""

_OF_VALUES: Final = ("21", "22", "23", "44", "54")
"""The classes of codes of Postgres for what no server takes: values, constraints, and sizes beyond its limits."""

_OF_OPERATORS: Final = ("3D", "3F", "42")
"""Those for databases, schemas and tables that are not there, and for missing permissions."""

_CONNECTION_ENDS: Final = ("08", "57P")
"""Those after which the server has ended, or will end, connections."""

_SQLITE_OF_VALUES: Final = {
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_RANGE,
    sqlite3.SQLITE_TOOBIG,
}
_SQLITE_OF_OPERATORS: Final = {
    sqlite3.SQLITE_AUTH,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}

CHILD_LENGTH: Final = 17
"""How much longer than the id of a run those of runs are that its calls started: see `child_id`."""


class Unanswered(Picklable):
    """A run ended without an answer. DBOS keeps it as the error of the run; `end` is its end, as a JSON object."""

    def __init__(self, end: Json) -> None:
        self.end = end
        super().__init__(end["stopped"])


class StepFailed(Picklable):
    """An activity has an outcome that ends its run. DBOS keeps it as the error of the step."""

    def __init__(self, outcome: Json) -> None:
        self.outcome = outcome
        super().__init__(outcome.get("error") or outcome.get("changed"))


class JsonSerializer(Serializer):
    """Writes values as JSON in ASCII: databases take any text of a model, and no code is ever loaded from one."""

    def name(self) -> str:
        """Return its name in the database."""
        return "toolgen_json"

    def serialize(self, data: Any) -> str:
        """Return a value as JSON text. Exceptions are written as their text."""
        if isinstance(data, Unanswered):
            data = {_END: data.end}
        elif isinstance(data, StepFailed):
            data = {_FAILURE: data.outcome}
        elif isinstance(data, BaseException):
            data = {_EXCEPTION: text_of(data)}
        return json.dumps(data, separators=(",", ":"))

    def deserialize(self, serialized_data: str) -> Any:
        """Return the value of JSON text. All exceptions but those of this module are `RunFailed`."""
        data = json.loads(serialized_data)
        if is_object(data) and len(data) == 1:
            for key, made in ((_EXCEPTION, RunFailed), (_END, Unanswered), (_FAILURE, StepFailed)):
                if key in data:
                    return made(data[key])
        return data


refuse_pickles(JsonSerializer)


def database_url(target: str | Path) -> str:
    """Return the URL of a database: a `postgresql://` URL as it is, anything else is the path of an SQLite file.

    Raises ValueError for other URLs, and for what is no file, such as a database in memory.
    """
    text = str(target)
    if isinstance(target, Path) or "://" not in text:
        return file_url(sa.URL.create("sqlite", database=text))
    try:
        url = make_url(text)
    except (exc.ArgumentError, ValueError):
        raise ValueError("the database is no valid URL; write postgresql://user@host/name, or a path") from None
    if url.get_backend_name() not in ("postgresql", "sqlite"):
        raise ValueError(f"runs are kept in Postgres or SQLite, not in {url.get_backend_name()}")
    if url.get_backend_name() == "sqlite":
        return file_url(url)
    return url.set(drivername="postgresql+psycopg").render_as_string(hide_password=False)


def is_missing_file(url: str) -> bool:
    """Return whether a database is a file of SQLite that is not there."""
    place = make_url(url)
    try:
        return place.get_backend_name() == "sqlite" and not Path(place.database or "").exists()
    except OSError:  # no file can have that path
        return True


def prepare_database(url: str) -> None:
    """Create what the runs need in a database, or bring it up to date. Raises `StoreError`."""
    try:
        create_file(url)
        DBOS.migrate(migration_url(url))
        connections = open_connections(url, BESIDE_WORKER)
        try:
            create_tables(connections)
        finally:
            close_connections(connections)
    except (exc.SQLAlchemyError, dbos_errors.DBOSException, OSError) as error:
        raise StoreError(f"the database of the runs cannot be prepared: {reason_of(error)}") from error


def open_client(url: str, *, waits: bool = False, limits: Limits = CLIENT) -> DBOSClient:
    """Connect to a database that a worker has prepared. Close it by `close_client`.

    With `waits`, what is done later waits for a database that has gone away. Raises `StoreError`, without the URL: it
    may have a password.
    """
    connections = open_connections(url, limits)
    try:
        client = DBOSClient(
            system_database_engine=connections,
            serializer=JsonSerializer(),
            application_name=APPLICATION,
            retry_connection_errors=waits,
        )
    except (exc.SQLAlchemyError, dbos_errors.DBOSException, OSError) as error:
        close_connections(connections)
        if isinstance(error, exc.StatementError) and _is_busy(error):
            raise StoreError(_BUSY) from error
        raise StoreError(f"the database of the runs cannot be reached: {reason_of(error)}") from error
    retry_lost_connections(database_of(client), Failure.PASSES)
    if not waits:
        event.listen(connections, "handle_error", _refuse_busy)
    return client


_BUSY: Final = "the database of the runs stays locked by another program"


def _refuse_busy(context: ExceptionContext) -> None:
    """Let a client that does not wait say that a file of SQLite is locked: DBOS would try again without end."""
    error = context.sqlalchemy_exception
    if error is not None and _is_busy(error):
        raise StoreError(_BUSY) from error


def close_client(client: DBOSClient) -> None:
    """Close a client and its connections, which DBOS does not close, since it has not made them."""
    give_up_lost_connections(database_of(client))
    client.destroy()
    close_connections(database_of(client).engine)


def enqueue_options(request: RunRequest, turn: int | None) -> EnqueueOptions:
    """Return how a run is enqueued, with its turn; one that a call starts has none, and is executed first."""
    options: EnqueueOptions = {
        "workflow_name": RUN,
        "queue_name": QUEUE,
        "workflow_id": request.run_id,
        "app_version": VERSION,
        "application_name": APPLICATION,
    }
    about = {"agent": request.agent, "parent": request.parent_run_id}
    if attributes := {name: value for name, value in about.items() if value}:
        options["attributes"] = attributes
    if request.user is not None:
        options["authenticated_user"] = request.user
    if request.timeout is not None:
        options["workflow_timeout"] = request.timeout
    if turn is not None:
        options["priority"] = turn
    return options


class Failure(Enum):
    """What an error of a database means: see `failure_of`."""

    PASSES = "passes"
    """The same statement works later: the database is away, busy, full, or has given up on it for now."""

    OF_OPERATOR = "of the operator"
    """It works once a person has done something: tables or permissions are missing."""

    OF_VALUE = "of the value"
    """It never works."""


def failure_of(error: BaseException) -> Failure:
    """Return what an error of a database means. This decides for all that reads or writes runs.

    A run waits, or is executed again, for all but an error of the value: whatever a database says when an outcome is
    written, it says nothing about the call. A program that starts and steers runs is told of errors of the operator.
    """
    cause = error.orig if isinstance(error, exc.DBAPIError) else error
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_MISUSE) & 0xFF  # the low byte is the kind of the error
        if code in (*_SQLITE_OF_VALUES, sqlite3.SQLITE_MISUSE):
            return Failure.OF_VALUE
        return Failure.OF_OPERATOR if code in _SQLITE_OF_OPERATORS else Failure.PASSES
    state: str | None = getattr(cause, "sqlstate", None)
    if state is None:  # of the driver: the server did not answer, or a value cannot be sent to it
        is_away = isinstance(error, exc.OperationalError | exc.InterfaceError | exc.TimeoutError)
        return Failure.PASSES if is_away else Failure.OF_VALUE
    if state.startswith(_OF_VALUES):
        return Failure.OF_VALUE
    return Failure.OF_OPERATOR if state.startswith(_OF_OPERATORS) else Failure.PASSES


def retry_lost_connections(database: SystemDatabase, *failures: Failure) -> None:
    """Let DBOS make the same statement again after such failures, as it does after lost connections.

    DBOS goes by texts of the driver and by a few codes. For what it does not know, it keeps the failure to write an
    outcome as the outcome.
    """

    def mark(context: ExceptionContext) -> None:
        error = context.sqlalchemy_exception
        if error is None or failure_of(error) not in failures or _is_busy(error):
            return
        context.is_disconnect = True
        state = getattr(context.original_exception, "sqlstate", None)
        context.invalidate_pool_on_disconnect = state is None or state.startswith(_CONNECTION_ENDS)

    event.listen(database.engine, "handle_error", mark)


def passes_soon(error: BaseException) -> bool:
    """Return whether to do the same again at once: a connection has ended, or another one was in the way.

    Not if a file of SQLite stays locked, for which a statement has waited long.
    """
    is_busy = isinstance(error, exc.StatementError) and _is_busy(error)
    return failure_of(error) is Failure.PASSES and not is_busy


def _is_busy(error: exc.StatementError) -> bool:
    """Whether a file of SQLite is locked, for longer than a statement waits."""
    return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def warn_of(message: str, *args: object, error: BaseException) -> None:
    """Log a warning with why a database failed: in one line if it passes, since such a warning comes every second."""
    if isinstance(error, exc.SQLAlchemyError) and failure_of(error) is Failure.PASSES:
        warn(f"{message}: %s", *args, reason_of(error))
    else:
        warn(message, *args, error=error)


def text_of(error: BaseException) -> str:
    """Return why a run failed: the text of an exception, without statements and values of the database."""
    if isinstance(error, RunFailed):
        return str(error)
    return reason_of(error) if isinstance(error, exc.SQLAlchemyError) else shown_error(error)


def reason_of(error: Exception) -> str:
    """Return why a database failed: its own text, without statements, addresses and values."""
    cause = error.orig if isinstance(error, exc.DBAPIError) and error.orig is not None else error
    diagnostics = getattr(cause, "diag", None)
    text = str(cause) if isinstance(cause, sqlite3.Error) else getattr(diagnostics, "message_primary", None)
    return f"{type(cause).__name__}: {text}" if text else type(cause).__name__


def lacks_tables(error: exc.DBAPIError) -> bool:
    """Return whether a statement failed because nothing has prepared the database."""
    if isinstance(error.orig, sqlite3.Error):
        return str(error.orig).startswith("no such table")
    return getattr(error.orig, "sqlstate", None) in _UNDEFINED


def described(attributes: str | None) -> Json:
    """Return what the row of a run says about it, beside its columns, by its JSON text; nothing for what is no object.

    Whoever can write to a database can write anything there.
    """
    try:
        about = json.loads(attributes or "{}")
    except (ValueError, RecursionError):
        return {}
    return about if is_object(about) else {}


def parent_of(priority: int | None, about: Mapping[str, Any]) -> str:
    """Return the id of the run whose call started a run, by what its row says; empty if none did.

    Its own id tells nothing: a program may give its runs ids that look like those of runs that calls started.
    """
    parent = about.get("parent") if priority == BY_CALL else None
    return parent if is_text(parent) else ""


def below(run_id: str, parents: Mapping[str, str]) -> list[str]:
    """Return those runs, of some with their parents, that calls of a run started, at any depth."""
    children: dict[str, list[str]] = {}
    for child, parent in parents.items():
        children.setdefault(parent, []).append(child)
    found = [run_id]
    for each in found:
        found += children.pop(each, ())
    return found[1:]


_EXPECTED: Final = (dbos_errors.DBOSAwaitedWorkflowCancelledError, RunFailed, Unanswered, StepFailed)
_EXPECTED_TEXTS: Final = ("Asyncio task cancelled for workflow or step", "DBOS failed to launch")


class ExpectedErrors(logging.Filter):
    """Keeps out of the log of DBOS what is no error of it: cancelled runs, and failed ones, which have a warning.

    For a cancelled activity DBOS would write its args, which are not for logs, and the error of a start is raised.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is logged."""
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        return not str(record.msg).startswith(_EXPECTED_TEXTS) and not isinstance(error, _EXPECTED)


# What DBOS reads before a step and writes after it, in one statement each, without transactions.
#
# Before a step: whether the run goes on, who owns it, and the outcome of the step, if it has one. After it: the
# outcome, if the execution still owns the run.

_RUN: Final = "run"
_STEP: Final = "step"
_DRAWN: Final = "drawn"


def read_steps_at_once(database: SystemDatabase, executions: Mapping[str, Execution]) -> None:
    """Let DBOS read, in one statement without a transaction, what it has two statements in one for.

    So an execution that has lost its run begins no further step: DBOS itself checks that only when it writes. In
    Postgres an execution without a fencing token draws one with what is read before a plan. The calls come after that,
    and who owns the run is read again before each of them.
    """
    runs, steps = database.tables.workflow_status, database.tables.operation_outputs
    wanted = (
        sa.select(
            runs.c.status,
            runs.c.owner_xid,
            steps.c.function_name,
            steps.c.output,
            steps.c.error,
            steps.c.child_workflow_id,
            steps.c.serialization,
        )
        .select_from(
            runs.outerjoin(
                steps,
                sa.and_(steps.c.workflow_uuid == runs.c.workflow_uuid, steps.c.function_id == sa.bindparam(_STEP)),
            )
        )
        .where(runs.c.workflow_uuid == sa.bindparam(_RUN))
    )
    # A connection to SQLite would have other transactions afterwards.
    is_postgres = _has_statements_of_postgres(database)
    reading = database.engine.execution_options(isolation_level="AUTOCOMMIT") if is_postgres else database.engine

    drawing = wanted.add_columns(next_token().label(_DRAWN)) if is_postgres else wanted

    @db_retry(sys_db=database)
    def check(
        workflow_id: str, function_id: int, function_name: str, *, owner_key: str | None = None
    ) -> RecordedResult | None:
        del owner_key  # of sharded databases, which a worker does not have
        execution = executions.get(workflow_id) if is_postgres and function_name == PLAN else None
        draws = execution is not None and execution.token is None
        with reading.connect() as connection:
            row: Any = connection.execute(
                drawing if draws else wanted, {_RUN: workflow_id, _STEP: function_id}
            ).one_or_none()
        if row is None:
            raise dbos_errors.DBOSNonExistentWorkflowError("workflow", workflow_id)
        if row.status == "CANCELLED":
            raise dbos_errors.DBOSWorkflowCancelledError(f"workflow {workflow_id} is cancelled")
        if row.owner_xid != current_owner_xid(workflow_id):
            raise dbos_errors.DBOSWorkflowConflictIDError(workflow_id)
        if execution is not None and draws:  # it is that of the owner
            execution.token = int(row.drawn)
        if row.function_name is None:
            return None
        if row.function_name != function_name:
            raise dbos_errors.DBOSUnexpectedStepError(
                workflow_id=workflow_id,
                step_id=function_id,
                expected_name=function_name,
                recorded_name=row.function_name,
            )
        return {
            "output": row.output,
            "error": row.error,
            "serialization": row.serialization,
            "child_workflow_id": row.child_workflow_id,
            "child_shard_key": None,
        }

    database.check_operation_execution = check  # type: ignore[method-assign]  # see above


def write_steps_at_once(database: SystemDatabase) -> None:
    """Let DBOS write the outcome of a step in one statement, as it writes that of a run, where it has a transaction.

    The row of the run is locked by the statement as it is by DBOS: whoever takes over the run comes before or after.
    """
    if not _has_statements_of_postgres(database):
        return
    writing = database.engine.execution_options(isolation_level="AUTOCOMMIT")
    write_with_transaction = database.record_operation_result

    def record(
        result: OperationResultInternal,
        *,
        completed_at_epoch_ms: int | None = None,
        owner_xid: str | None = None,
        owner_key: str | None = None,
    ) -> None:
        run_id = result["workflow_uuid"]
        owner = current_owner_xid(run_id) if owner_xid is None else owner_xid
        if owner is None or result["child_workflow_id"] is not None:
            write_with_transaction(
                result, completed_at_epoch_ms=completed_at_epoch_ms, owner_xid=owner_xid, owner_key=owner_key
            )
            return
        completed = int(time.time() * 1000) if completed_at_epoch_ms is None else completed_at_epoch_ms
        values = {name: result[name] for name in _WRITTEN}
        _write(values | {"completed_at_epoch_ms": completed, "application_name": database.app_name, _OWNER: owner})

    @db_retry(sys_db=database)
    def _write(values: dict[str, Any]) -> None:
        with writing.connect() as connection:
            try:
                found = execute_prepared(
                    database, connection, "toolgen_step", values, lambda: _step_of_owner(database, values)
                ).scalar()
            except DBAPIError as error:
                if is_unique_violation(database, error):
                    raise dbos_errors.DBOSStepNondeterminismError(
                        values["workflow_uuid"], values["function_id"]
                    ) from error
                raise
        if found is None:
            raise dbos_errors.DBOSWorkflowConflictIDError(values["workflow_uuid"])
        if int(found) != values["completed_at_epoch_ms"]:  # of another attempt: one of its own has the same time
            raise dbos_errors.DBOSStepNondeterminismError(values["workflow_uuid"], values["function_id"])

    database.record_operation_result = record  # type: ignore[method-assign]  # no public name


_OWNER: Final = "owner"
_WRITTEN: Final = (
    "workflow_uuid",
    "function_id",
    "function_name",
    "started_at_epoch_ms",
    "output",
    "error",
    "serialization",
)


def _step_of_owner(database: SystemDatabase, values: Mapping[str, Any]) -> Any:
    """Return the statement that inserts the row of a step if the run is still that of an owner.

    It returns when the row that is there was completed; nothing if the run is not.
    """
    runs, steps = database.tables.workflow_status, database.tables.operation_outputs
    given = {name: sa.bindparam(name, type_=steps.c[name].type) for name in values if name != _OWNER}
    is_own = (
        runs.c.workflow_uuid == given["workflow_uuid"],
        runs.c.owner_xid == sa.bindparam(_OWNER, type_=runs.c.owner_xid.type),
    )
    owned = sa.select(runs.c.workflow_uuid).where(*is_own).with_for_update(key_share=True).cte("owned")
    row = sa.select(*given.values(), now_ms(database)).select_from(owned)
    return (
        database.dialect.insert(steps)
        .from_select([*given, "retention_timestamp"], row)
        .on_conflict_do_update(
            index_elements=["workflow_uuid", "function_id"],
            set_={"completed_at_epoch_ms": steps.c.completed_at_epoch_ms},
        )
        .returning(steps.c.completed_at_epoch_ms)
    )


def _has_statements_of_postgres(database: SystemDatabase) -> bool:
    return database.engine.dialect.name == "postgresql"
