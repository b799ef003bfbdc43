"""Postgres databases: how they are reached, and how tables are created. Needs the extra `postgres`.

psycopg is imported on use.
"""

from __future__ import annotations

import asyncio
import os
import select
import socket
import threading
import time
from collections.abc import AsyncGenerator, Coroutine, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, LiteralString, TypeGuard, TypeVar
from urllib.parse import unquote

from toolgen.contract.extras import MissingExtra
from toolgen.runtime.base.loops import OfLoop
from toolgen.runtime.base.processes import at_fork, keep_inherited
from toolgen.spec.text import lines_of

if TYPE_CHECKING:
    import psycopg

T = TypeVar("T")

_SCHEMES: Final = ("postgresql://", "postgres://")
_EXAMPLE: Final = "postgresql://user:password@host:5432/database"

_MIGRATION_LOCK: Final = 0x746F6F6C67656E
"""An advisory lock, `toolgen` in ASCII: one process at a time creates tables."""

_CONNECTIONS: Final = 16
"""Maximum connections of one event loop; each operation uses one for a round trip."""


def is_postgres_url(target: object) -> TypeGuard[str]:
    """Whether a text is the URL of a Postgres database."""
    return isinstance(target, str) and target.startswith(_SCHEMES)


class PostgresDatabase:
    """A database by its URL, as libpq reads it. Neither its `repr` nor its messages contain the credentials.

    Connections commit each statement, and wait at most `timeout` seconds to be opened. Whatever the server's defaults
    are, a commit is on disk when it returns, and each statement sees what was committed before it.

    Raises ImportError without psycopg, and ValueError for an invalid URL.
    """

    def __init__(self, url: str, *, timeout: float) -> None:
        try:
            import psycopg
            import psycopg.conninfo
        except ImportError:
            raise MissingExtra("Postgres needs psycopg", "postgres") from None
        self._url = url
        self.timeout = timeout
        try:
            parts = psycopg.conninfo.conninfo_to_dict(url)
        except psycopg.Error:
            raise _not_a_url() from None
        if not is_postgres_url(url) or "@" in f"{parts.get('host', '')}{parts.get('dbname', '')}":
            raise _not_a_url()  # an unescaped `@` or `/` of a password
        self._name = f"postgresql://{parts.get('host', '')}/{parts.get('dbname', '')}"
        self._password = str(parts.get("password", ""))

    def __repr__(self) -> str:
        return self._name

    def connect(self, watchdog: Watchdog) -> psycopg.Connection[Any]:
        """Open a connection. Raises psycopg.Error."""
        import psycopg

        connection: psycopg.Connection[Any] = psycopg.connect(self._url, **self._settings())
        try:
            with watchdog.watch(connection, self.timeout):
                connection.execute(_SETTINGS)
        except BaseException:  # also if the program is interrupted meanwhile
            connection.close()
            raise
        return connection

    async def connect_async(self, longest: float) -> psycopg.AsyncConnection[Any]:
        """Open a connection that belongs to the running event loop. Raises psycopg.Error.

        The server ends a statement after `longest` seconds, also one whose client is gone.
        """
        import psycopg

        connection: psycopg.AsyncConnection[Any] = await psycopg.AsyncConnection.connect(self._url, **self._settings())
        try:
            use = connection.execute(f"{_SETTINGS}, {_LONGEST}", (str(round(longest * 1000)),))
            await answer_within(self.timeout, connection, use)
        except BaseException:  # also if the caller is cancelled meanwhile
            await connection.close()
            raise
        return connection

    def why(self, error: BaseException) -> str:
        """Return the server's or the client's reason for an error, without credentials, addresses and paths."""
        diagnostics = getattr(error, "diag", None)
        reason = getattr(diagnostics, "message_primary", None)
        if not reason:
            first = lines_of(str(error) or type(error).__name__)[0]
            reason = first.rpartition(": ")[2]
        for secret in (self._password, unquote(self._password)):
            if secret:
                reason = reason.replace(secret, "***")
        return str(reason)

    def _settings(self) -> dict[str, Any]:
        milliseconds = round(self.timeout * 1000)
        return {
            "autocommit": True,
            "connect_timeout": max(2, round(self.timeout)),  # libpq: at least 2
            "tcp_user_timeout": milliseconds,  # a host that went away
            "application_name": "toolgen",
        }


_SETTINGS: Final = """
SELECT set_config('default_transaction_isolation', 'read committed', false),
  CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END
"""
_LONGEST: Final = "set_config('statement_timeout', %s, false)"


_VERSIONS: Final = "CREATE TABLE IF NOT EXISTS toolgen.versions (kind text PRIMARY KEY, version int NOT NULL)"
_SET_VERSION: Final = """
INSERT INTO toolgen.versions (kind, version) VALUES (%s, %s)
ON CONFLICT (kind) DO UPDATE SET version = excluded.version
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresTables:
    """The tables of one kind of data, in the schema `toolgen` of a database.

    A database has version n if the first n of the `migrations`, which are SQL scripts, were run. `error` is the
    exception for a database of another version.
    """

    name: str
    migrations: tuple[str, ...]
    error: type[Exception]

    def create(self, connection: psycopg.Connection[Any]) -> None:
        """Run the migrations that the database lacks. Any number of processes may do so at the same time.

        A role that may not create tables can do this if there is nothing to create. Raises `error` for a newer version.
        """
        if self._version(connection) == len(self.migrations):
            return
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATION_LOCK,))
            connection.execute("CREATE SCHEMA IF NOT EXISTS toolgen")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS toolgen.versions (kind text PRIMARY KEY, version int NOT NULL)"
            )
            for script in self.migrations[self._version(connection) :]:
                connection.execute(script.encode())
            connection.execute(_SET_VERSION, (self.name, len(self.migrations)))

    def is_created(self, connection: psycopg.Connection[Any]) -> bool:
        """Whether the tables exist. Raises `error` for those of another version."""
        version = self._version(connection)
        if 0 < version < len(self.migrations):
            raise self.error(
                f"the {self.name} has version {version}, and this toolgen needs version {len(self.migrations)}: "
                "write to it once, which updates it"
            )
        return version > 0

    def _version(self, connection: psycopg.Connection[Any]) -> int:
        """Return the version of the tables, 0 if there are none. Raises `error` for a newer one."""
        if connection.execute("SELECT to_regclass('toolgen.versions')").fetchone() == (None,):
            return 0
        row = connection.execute("SELECT version FROM toolgen.versions WHERE kind = %s", (self.name,)).fetchone()
        return self.checked(0 if row is None else row[0])

    def checked(self, version: Any) -> int:
        """Return a version as it is in the database. Raises `error` for a newer one, and what is none."""
        if not isinstance(version, int):
            raise self.error(f"the version of the {self.name} is not a number: the database was changed")
        if version > len(self.migrations):
            raise self.error(
                f"the {self.name} has version {version}, and this toolgen needs version {len(self.migrations)}"
            )
        return version


async def answer_within(seconds: float, connection: psycopg.AsyncConnection[Any], use: Coroutine[Any, Any, T]) -> T:
    """Await a use of a connection, which ends after so many seconds, and when the caller is cancelled.

    psycopg would ask the server to cancel the statement, and wait for its answer: a server that stands still gives
    none. Raises psycopg.Error.
    """
    running = asyncio.ensure_future(use)
    running.add_done_callback(lambda done: done.cancelled() or done.exception())  # which nobody may ask for
    try:
        await asyncio.wait([running], timeout=seconds)
    finally:
        if not running.done():
            _shut_down(connection.fileno())
            await asyncio.wait([running])
    return running.result()


class AsyncConnections:
    """The connections of each event loop to one database, opened on demand and kept for reuse.

    The tables are created before the first statement, if missing. Statements raise psycopg.Error, and the error of the
    tables for another version.
    """

    def __init__(self, database: PostgresDatabase, tables: PostgresTables) -> None:
        self._database = database
        self._tables: PostgresTables | None = tables
        self._pools = OfLoop(_Pool.abandon)

    async def fetch_one(self, statement: LiteralString, parameters: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Run one statement and return the first row of its result, if it has one."""
        async with self._connection() as connection:
            use = connection.execute(statement, parameters, binary=True)
            cursor = await answer_within(self._database.timeout, connection, use)
            return await cursor.fetchone() if cursor.description is not None else None

    async def aclose(self) -> None:
        """Close the connections of the running event loop. Later statements open new ones."""
        mine = self._pools.pop()
        if mine is not None:
            mine.close()

    @asynccontextmanager
    async def _connection(self) -> AsyncGenerator[psycopg.AsyncConnection[Any]]:
        """Use a connection alone. It is closed if the use fails or is cancelled: a result could still arrive."""
        mine = self._pools.get_or_make(_Pool)
        async with mine.free:
            connection = None
            while connection is None and mine.idle:
                connection = mine.idle.pop()
                if not is_usable(connection):
                    await connection.close()
                    connection = None
            if connection is None:
                await asyncio.to_thread(self._create_tables)
                connection = await self._database.connect_async(self._database.timeout)
            mine.used.append(connection)
            try:
                yield connection
            except BaseException:  # also a cancelled use; raised again
                await connection.close()
                raise
            finally:
                mine.used.remove(connection)
            mine.keep(connection)

    def _create_tables(self) -> None:
        tables = self._tables  # several threads may come here at the same time
        if tables is not None:
            watchdog = Watchdog()
            with self._database.connect(watchdog) as connection, watchdog.watch(connection, self._database.timeout):
                tables.create(connection)
            self._tables = None


@dataclass(slots=True)
class _Pool:
    """The connections of one event loop: `free` counts those that may still be used."""

    free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_CONNECTIONS))
    idle: list[psycopg.AsyncConnection[Any]] = field(default_factory=list["psycopg.AsyncConnection[Any]"])
    used: list[psycopg.AsyncConnection[Any]] = field(default_factory=list["psycopg.AsyncConnection[Any]"])
    is_closed: bool = False

    def keep(self, connection: psycopg.AsyncConnection[Any]) -> None:
        """Keep a connection for the next use; it is closed if the pool was closed meanwhile."""
        self.idle.append(connection)
        if self.is_closed:
            self.close()

    def close(self) -> None:
        """Close the connections that nobody uses, and from now on those that are returned."""
        self.is_closed = True
        while self.idle:
            connection = self.idle.pop()
            connection.pgconn.finish()

    def abandon(self) -> None:
        """Close all connections: those of a loop that is closed are used no more."""
        self.idle += self.used
        self.close()


_GRACE: Final = 1.0

_IDLE: Final = 10.0
"""Seconds after which the thread of a watchdog ends that watches nothing."""


class Watchdog:
    """Ends the connection of one thread where the server stands still: it acknowledges, and answers nothing.

    Without it a statement of psycopg waits for as long as that. It fails with `psycopg.OperationalError`.
    """

    def __init__(self) -> None:
        self._begin()
        at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        """Begin without a thread, as in a process that was forked."""
        self._changed = threading.Condition()
        self._watched: tuple[float, int] | None = None
        self._is_idle = False
        self._is_started = False

    @contextmanager
    def watch(self, connection: psycopg.Connection[Any], seconds: float) -> Generator[None]:
        """Let a connection be used for at most that long, as each of this watchdog is, and a second more.

        The server's own timeouts come first, which say what it waited for.
        """
        with self._changed:
            self._watched = (time.monotonic() + seconds + _GRACE, connection.fileno())
            if not self._is_started:
                threading.Thread(target=self._run, name="toolgen-postgres-watchdog", daemon=True).start()
                self._is_started = True
            elif self._is_idle:  # else it wakes at an earlier deadline, and looks again: each use is bounded alike
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._watched = None

    def _run(self) -> None:
        """Look when a deadline has passed. A use that ends before it wakes nobody."""
        with self._changed:
            while True:
                if self._watched is None:
                    self._is_idle = True
                    is_woken = self._changed.wait(_IDLE)
                    self._is_idle = False
                    if not is_woken and self._watched is None:
                        self._is_started = False
                        return
                    continue
                deadline, descriptor = self._watched
                left = deadline - time.monotonic()
                if left > 0:
                    self._changed.wait(left)
                    continue
                self._watched = None
                _shut_down(descriptor)


def _shut_down(descriptor: int) -> None:
    """End a connection, which may have ended: what waits for its answer fails."""
    with suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as connected:
        connected.shutdown(socket.SHUT_RDWR)


def disinherit(connection: psycopg.Connection[Any] | None) -> None:
    """Give up a connection of the process that this one was forked from, which goes on using it.

    Closing it would end the session of the parent. Its descriptor becomes one of nothing, so that the server hears of
    the end of the parent.
    """
    if connection is None or connection.closed:
        return
    keep_inherited(connection)
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    os.dup2(nothing, connection.fileno(), inheritable=False)
    os.close(nothing)


def is_usable(connection: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> bool:
    """Whether an idle connection is open, as far as this process has heard.

    A server that closes a connection has sent a message, or the end of the stream.
    """
    if connection.closed:
        return False
    heard = select.poll()
    heard.register(connection.fileno(), select.POLLIN | select.POLLPRI)
    return not heard.poll(0)


def _not_a_url() -> ValueError:
    return ValueError(
        f"this is not a Postgres URL, such as {_EXAMPLE}; special characters of a password are written as %40 for @"
    )
