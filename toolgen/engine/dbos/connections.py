"""Connections to the database of runs: how many each part has, what they are called, and how long each waits.

A worker has at most 10 on Postgres: those of its runs, one that renews its lease, one that takes over the runs of dead
workers, and those of its engine. On each of them a statement, a lock and a transaction that does nothing end in their
time, whatever became of the process or the network at the other end.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy import event

from toolgen.engine.dbos.reading import json_or_text
from toolgen.engine.requests import text_problem
from toolgen.runtime.base.sqlite_files import computed, text_or_bytes
from toolgen.runtime.events.records import StoreError
from toolgen.spec.text import visible
from toolgen.spec.writing import create_private

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine as Connections


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How many connections a part has, and the seconds that it waits for: a statement, a lock, a connection."""

    size: int
    statement: float
    lock: float
    connect: int = 5


RUNS: Final = Limits(size=5, statement=30.0, lock=10.0)
"""Those with which DBOS executes runs; it has one more, by which it is notified."""

LEASE: Final = Limits(size=1, statement=2.0, lock=1.0, connect=2)
"""That of the thread that renews the lease of a worker, which must not wait for anything else."""

ADOPTION: Final = Limits(size=1, statement=5.0, lock=1.0)
"""That of the thread that takes over the runs of dead workers."""

CLIENT: Final = Limits(size=5, statement=30.0, lock=10.0)
"""Those of an engine."""

BESIDE_WORKER: Final = Limits(size=2, statement=30.0, lock=10.0)
"""Those of an engine in the process of a worker."""

IDLE_IN_TRANSACTION: Final = 5.0
"""Seconds after which Postgres ends a session that holds rows and does nothing: its process stands still."""

_UNANSWERED: Final = 10.0
"""Seconds after which a connection counts as lost on which the other end acknowledges nothing."""

_NAME_BYTES: Final = 63
"""How long an `application_name` of Postgres is."""

_DIGEST_LENGTH: Final = 16

_PATH_LENGTH: Final = 4096
"""Characters of the path of a file at most: `PATH_MAX` of Linux."""

_SUBSECONDS: Final = (3, 42)
"""The version of SQLite from which `unixepoch` takes `subsec`: https://sqlite.org/lang_datefunc.html."""


def application_name(worker: str = "") -> str:
    """Return the `application_name` of the connections of a worker, or of an engine, in printable ASCII.

    That of a worker is of no other: a long name, or one of other characters, ends in a digest.
    """
    if not worker:
        return "toolgen engine"
    name = f"toolgen worker {worker}"
    if len(name) <= _NAME_BYTES and name.isascii() and name.isprintable() and "~" not in name:
        return name
    digest = sha256(worker.encode(errors="surrogatepass")).hexdigest()[:_DIGEST_LENGTH]
    plain = "".join(each if each.isascii() and each.isprintable() else "?" for each in name)
    return f"{plain[: _NAME_BYTES - _DIGEST_LENGTH - 1]}~{digest}"


def open_connections(url: str, limits: Limits, worker: str = "") -> Connections:
    """Return the connections of one part; each is made when it is needed. Close them by `close_connections`.

    Raises ValueError for a database of SQLite that is no file.
    """
    if sa.make_url(url).get_backend_name() == "sqlite":
        return _open_sqlite(url, limits)
    connections = sa.create_engine(
        url,
        pool_size=limits.size,
        max_overflow=0,
        pool_timeout=limits.statement,
        pool_pre_ping=True,
        json_deserializer=json_or_text,
        hide_parameters=True,  # messages of runs are not for logs
        connect_args={**_network(limits.connect), "application_name": application_name(worker)},
    )
    times = {
        "statement_timeout": limits.statement,
        "lock_timeout": limits.lock,
        "idle_in_transaction_session_timeout": IDLE_IN_TRANSACTION,
    }
    # Not as `options` of the connection, which poolers such as PgBouncer refuse.
    settings = ", ".join(f"set_config('{name}', '{int(seconds * 1000)}', false)" for name, seconds in times.items())

    @event.listens_for(connections, "connect")
    def set_timeouts(connection: Any, _record: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {settings}")
        connection.commit()  # a rollback would undo it

    return connections


def close_connections(connections: Connections) -> None:
    """Close the connections of one part, also those that a thread still uses: these as soon as it has done so."""
    event.listen(connections, "checkin", _close_late)
    connections.dispose()


def _close_late(_connection: Any, record: Any) -> None:
    record.invalidate()


def file_url(place: sa.URL) -> str:
    """Return the URL of a file of SQLite, whatever is in its path. Raises ValueError for what is no file."""
    path = place.database or ""
    if path in ("", ":memory:") or place.query:
        raise ValueError("runs are kept in a file: write its path, which has no parameters, and is not in memory")
    if place.host:
        raise ValueError("a file of SQLite has no host: write its path, or sqlite:////path")
    if problem := text_problem(path, _PATH_LENGTH):
        raise ValueError(f"the path of the database {problem}")
    return sa.URL.create("sqlite", database=path).render_as_string()


def create_file(url: str) -> None:
    """Create the file of a database of SQLite, unless it is there: only its user can read what runs have in it.

    Raises ValueError for a database of SQLite that is no file.
    """
    place = sa.make_url(url)
    if place.get_backend_name() == "sqlite":
        file_url(place)
        with suppress(OSError):  # SQLite has its own error for a file that cannot be created
            create_private(os.path.realpath(str(place.database)))


def migration_url(url: str) -> str:
    """Return the URL with which tables are created and changed: it may take its time, but not for a lost network.

    Raises ValueError for a database of SQLite that is no file.
    """
    target = sa.make_url(url)
    if target.get_backend_name() == "sqlite":
        return file_url(target)
    given = {name: str(value) for name, value in _network(RUNS.connect).items()}
    target = target.update_query_dict({**given, "application_name": application_name()})
    return target.render_as_string(hide_password=False)


def _network(connect: int) -> dict[str, Any]:
    """Return how long a connection waits for the network, by the parameters of libpq."""
    return {
        "connect_timeout": connect,
        "keepalives": 1,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": int(_UNANSWERED * 1000),
    }


def _open_sqlite(url: str, limits: Limits) -> Connections:
    """Open a file as DBOS does, in which a transaction has the file for itself from its first write."""
    connections = sa.create_engine(
        file_url(sa.make_url(url)),
        pool_size=limits.size,
        max_overflow=0,
        pool_timeout=limits.statement,
        json_deserializer=json_or_text,
        hide_parameters=True,
        connect_args={"check_same_thread": False},
    )

    @event.listens_for(connections, "do_connect")
    def create(*_args: object) -> None:
        create_file(url)

    @event.listens_for(connections, "connect")
    def set_up(connection: sqlite3.Connection, _record: Any) -> None:
        connection.execute(f"PRAGMA busy_timeout={int(limits.statement * 1000)}")
        set_up_sqlite(connection)
        if made := computed(connection):
            raise StoreError(f"`{visible(made)}` of the database of runs is computed, so it may have no end")

    return connections


def set_up_sqlite(connection: sqlite3.Connection) -> None:
    """Let DBOS work with a connection to SQLite."""
    connection.isolation_level = "IMMEDIATE"
    connection.text_factory = text_or_bytes
    connection.execute("PRAGMA foreign_keys=ON")
    if sqlite3.sqlite_version_info < _SUBSECONDS:
        # DBOS uses it from Python 3.12 on, whatever the version of SQLite; its tables keep it as default values.
        connection.create_function("unixepoch", 1, _unix_epoch)


def _unix_epoch(modifier: str) -> float:
    """Return the time in seconds since 1970, with milliseconds, as newer versions of SQLite do."""
    if modifier != "subsec":
        raise ValueError(modifier)
    return round(time.time(), 3)
