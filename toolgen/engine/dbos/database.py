"""The database of durable runs: its URL, how values are written to it, and what its users agree on."""

from __future__ import annotations

import json
import logging
import re
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dbos import DBOS, DBOSClient, Serializer
from dbos import error as dbos_errors
from sqlalchemy import event, exc, make_url

from toolgen.engine.dbos.connections import CLIENT, Limits, close_connections, migration_url, open_connections
from toolgen.engine.protocol import RunFailed
from toolgen.runtime.events.records import StoreError
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from dbos._sys_db import SystemDatabase
    from sqlalchemy.engine import ExceptionContext

    from toolgen.engine.requests import Json

VERSION: Final = "toolgen-1"
"""The version of runs, for all packages of tools: generated code that changes strands no run."""

APPLICATION: Final = "toolgen"
QUEUE: Final = "toolgen"
SUSPECTS: Final = "toolgen_suspects"
"""The queue of runs that may have killed several workers: see `deaths`."""

HELD: Final = "toolgen_held"
"""The queue of runs that are being resumed, which no worker looks at: all begin together, or none."""

BY_CALL: Final = 0
BY_PROGRAM: Final = 1
"""The priority of runs that calls started, for which others wait, and the first one of all others: see `Turns`."""

RUN: Final = "toolgen.run"
QUESTIONS: Final = "questions"
PLAN: Final = "plan"
"""The name of steps that ask a planner."""

_EXCEPTION: Final = "$exception"
_END: Final = "$end"
_FAILURE: Final = "$failure"
_UNDEFINED: Final = ("42P01", "3F000")
"""Codes of Postgres for a table and a schema that is not there."""

_NOT_NOW: Final = ("25006", "25P03", "55P03", "57014")
"""The states that Postgres gives a write on a standby, as it is for a moment after a switch of servers, for a
transaction that was idle, a lock that others hold, and a statement that takes too long: see `Limits`."""

_SQLITE_AWAY: Final = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN}

CHILD_LENGTH: Final = 17
"""How much longer than the id of a run those of runs are that its calls started: see `child_id`."""

_BELOW: Final = re.compile(r"(\.[0-9a-f]{16})+")
"""What the ids of runs that calls started have after that of the first run: see `child_id`."""


class Unanswered(Exception):
    """A run ended without an answer. DBOS keeps it as the error of the run; `end` is its end, as a JSON object."""

    def __init__(self, end: Json) -> None:
        self.end = end
        super().__init__(end["stopped"])

    def __reduce__(self) -> tuple[type[Unanswered], tuple[Json]]:
        return (Unanswered, (self.end,))


class StepFailed(Exception):
    """An activity has an outcome that ends its run. DBOS keeps it as the error of the step."""

    def __init__(self, outcome: Json) -> None:
        self.outcome = outcome
        super().__init__(outcome.get("error") or outcome.get("changed"))

    def __reduce__(self) -> tuple[type[StepFailed], tuple[Json]]:
        return (StepFailed, (self.outcome,))


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
            data = {_EXCEPTION: str(data) if isinstance(data, RunFailed) else f"{type(data).__name__}: {data}"}
        return json.dumps(data, separators=(",", ":"))

    def deserialize(self, serialized_data: str) -> Any:
        """Return the value of JSON text. All exceptions but those of this module are `RunFailed`."""
        data = json.loads(serialized_data)
        if is_object(data) and len(data) == 1:
            for key, made in ((_EXCEPTION, RunFailed), (_END, Unanswered), (_FAILURE, StepFailed)):
                if key in data:
                    return made(data[key])
        return data


def database_url(target: str | Path) -> str:
    """Return the URL of a database: a `postgresql://` URL as it is, anything else is the path of an SQLite file.

    Raises ValueError for other URLs.
    """
    text = str(target)
    if "://" not in text:
        return f"sqlite:///{text}"
    try:
        url = make_url(text)
    except (exc.ArgumentError, ValueError):
        raise ValueError("the database is no valid URL; write postgresql://user@host/name, or a path") from None
    if url.get_backend_name() not in ("postgresql", "sqlite"):
        raise ValueError(f"runs are kept in Postgres or SQLite, not in {url.get_backend_name()}")
    if url.get_backend_name() == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    return url.render_as_string(hide_password=False)


def is_missing_file(url: str) -> bool:
    """Return whether a database is a file of SQLite that is not there."""
    place = make_url(url)
    return place.get_backend_name() == "sqlite" and not Path(place.database or "").exists()


def prepare(url: str) -> None:
    """Create what the runs need in a database, or bring it up to date. Raises `StoreError`."""
    try:
        DBOS.migrate(migration_url(url))
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
        raise StoreError(f"the database of the runs cannot be reached: {reason_of(error)}") from error
    wait_while_away(client._sys_db)  # noqa: SLF001  # no public name
    return client


def close_client(client: DBOSClient) -> None:
    """Close a client and its connections, which DBOS does not close, since it has not made them."""
    client.destroy()
    close_connections(client._sys_db.engine)  # noqa: SLF001  # no public name


def wait_while_away(database: SystemDatabase) -> None:
    """Let DBOS wait for a database that is away, whatever its driver says of that.

    DBOS goes by texts of the driver. Where it does not wait, it keeps the failure to write an outcome as the outcome.
    """
    event.listen(database.engine, "handle_error", _mark_away)


def _mark_away(context: ExceptionContext) -> None:
    error = context.original_exception
    if isinstance(error, sqlite3.Error):
        is_away = error.sqlite_errorcode & 0xFF in _SQLITE_AWAY  # the low byte is the kind of the error
    else:
        state = getattr(error, "sqlstate", "")  # None where the server did not answer
        is_away = state in _NOT_NOW or (
            state is None and isinstance(context.sqlalchemy_exception, exc.OperationalError)
        )
    if is_away:
        context.is_disconnect = True


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


def is_below(run_id: str, other: str) -> bool:
    """Whether a call of a run started the other, at any depth."""
    return other.startswith(run_id) and _BELOW.fullmatch(other, len(run_id)) is not None


def parent_of(run_id: str) -> str:
    """Return the id of the run whose call started a run; empty if none did."""
    parent = run_id[:-CHILD_LENGTH]
    return parent if is_below(parent, run_id) else ""


def first_of(run_id: str) -> str:
    """Return the id of the run at the top of the chain of calls that started a run."""
    found = re.search(f"{_BELOW.pattern}$", run_id)
    return run_id if found is None else run_id[: found.start()]


_EXPECTED: Final = (dbos_errors.DBOSAwaitedWorkflowCancelledError, RunFailed, Unanswered, StepFailed)


class ExpectedErrors(logging.Filter):
    """Keeps out of the log of DBOS what is no error of it: cancelled runs, and failed ones, which have a warning.

    For a cancelled activity DBOS would write its args, which are not for logs.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is logged."""
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        is_cancelled = str(record.msg).startswith("Asyncio task cancelled for workflow or step")
        return not is_cancelled and not isinstance(error, _EXPECTED)
