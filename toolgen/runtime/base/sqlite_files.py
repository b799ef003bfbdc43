"""SQLite files of toolgen: how they are created, recognized and opened."""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any, Final
from urllib.parse import quote

from toolgen.runtime.base.processes import at_fork
from toolgen.spec.files import NotRegular, check_regular
from toolgen.spec.text import visible
from toolgen.spec.writing import create_private

_BUSY_PAUSE: Final = 0.005
"""Seconds until a statement is tried again for which SQLite itself does not wait."""

_NAME: Final = re.compile(r"CREATE TABLE (\w+)")
_COMPANIONS: Final = ("-journal", "-wal", "-shm")
"""Suffixes of the companion files that SQLite creates next to a database."""

_PRIMARY: Final = 0xFF
"""The bits of SQLite's error codes without those that say more, such as `SQLITE_BUSY_RECOVERY`."""

UNREADABLE: Final = (sqlite3.Error, UnicodeDecodeError, MemoryError)
"""What sqlite3 raises for a damaged file: its message may quote bytes that are not UTF-8, and a damaged length may
request any amount of memory.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteKind:
    """One kind of file. `application` is its SQLite application id; `error` is the exception that opening it raises.

    A file of an exact kind that has other tables, indexes or triggers is not written to. What waits for another
    connection does so for at most `busy_seconds`.
    """

    name: str
    application: int
    version: int
    tables: tuple[str, ...]
    error: type[Exception]
    is_exact: bool = False
    busy_seconds: float = 30.0

    def open_for_writing(self, path: Path | None) -> sqlite3.Connection:
        """Open a file, and create it if missing, readable by the owner only; without a path, in memory."""
        try:
            if path is not None:
                check_files(path)
                create_private(path)
            with ExitStack() as unless_opened:
                connection = _connect(path, "rw", self.busy_seconds)
                unless_opened.callback(connection.close)
                self._prepare(connection)
                unless_opened.pop_all()
        except OSError as error:
            raise self._cannot_be_opened(error.strerror) from error
        except UNREADABLE as error:
            raise self._cannot_be_opened(why(error)) from error
        return connection

    def open_for_reading(self, path: Path) -> sqlite3.Connection:
        """Open an existing file."""
        try:
            check_files(path)
            with ExitStack() as unless_opened:
                connection = _connect(path, "ro", self.busy_seconds)
                unless_opened.enter_context(closing(connection))
                if not self._is_of_kind(connection):
                    raise self.error(f"the {self.name} is empty")
                unless_opened.pop_all()
        except OSError as error:
            raise self._cannot_be_opened(error.strerror) from error
        except UNREADABLE as error:
            raise self._cannot_be_opened(why(error)) from error
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        _wait_while_busy(lambda: connection.execute("PRAGMA journal_mode = WAL"), self.busy_seconds)
        connection.execute("PRAGMA synchronous = FULL")  # a confirmed write survives a crash
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            if self._is_of_kind(connection):
                self._check_schema(connection)
            else:
                for statement in self.tables:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {self.application}")
                connection.execute(f"PRAGMA user_version = {self.version}")

    def _check_schema(self, connection: sqlite3.Connection) -> None:
        """Raise for an exact kind whose schema differs: for example, a trigger that removes what is written."""
        if self.is_exact and _statements(connection) != set(self.tables):
            raise self.error(f"the {self.name} has other tables, indexes or triggers than toolgen creates")

    def has_other_parts(self, connection: sqlite3.Connection) -> bool:
        """Whether a file has tables, views, indexes or triggers that its kind does not have, or different ones."""
        return not _statements(connection) <= set(self.tables)

    def _is_of_kind(self, connection: sqlite3.Connection) -> bool:
        """Whether the file is of this kind; False for an empty file. Raises for a file of another kind."""
        application, version, tables = connection.execute(
            "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)"
            " FROM pragma_application_id, pragma_user_version"
        ).fetchone()
        if (application, tables) == (0, 0):
            return False
        if application != self.application:
            raise self.error(f"the file is not a {self.name} of toolgen")
        if version != self.version:
            raise self.error(f"the {self.name} has version {version}, and this toolgen reads version {self.version}")
        if made := computed(connection, [name for each in self.tables for name in _NAME.findall(each)]):
            raise self.error(f"`{visible(made)}` of the {self.name} is computed, so it may have no end")
        return True

    def _cannot_be_opened(self, reason: object) -> Exception:
        return self.error(f"the {self.name} cannot be opened: {reason}")


class SqliteFile:
    """A file that is open for writing, or tables in memory. One thread of the process uses it at a time.

    A file that was deleted or replaced is opened again at the next use, or made anew: SQLite would go on to write to
    the old one, which nobody else has.

    No connection crosses a fork: SQLite would take the locks of the parent for those of the child, and so remove the
    log that the child still writes to. The file is closed before a fork, and each process opens it at its next use.
    Raises the error of its kind where it cannot be opened.
    """

    def __init__(self, kind: SqliteKind, path: Path | None) -> None:
        self._kind = kind
        self._path = None if path is None else path.absolute()
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None
        self._found: tuple[int, int] | None = None
        self._is_closed = False
        self._is_left = False
        self._opened()
        at_fork(before=self._leave, after_in_parent=self._continue, after_in_child=self._begin)

    @contextmanager
    def using(self) -> Generator[sqlite3.Connection]:
        """Use the connection alone."""
        with self._lock:
            yield self._opened()

    def run(self, statement: str, parameters: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Run one statement and return the first row of its result, if it has one."""
        with self._lock:
            row: tuple[Any, ...] | None = self._opened().execute(statement, parameters).fetchone()
            return row

    def close(self) -> None:
        """Close the file; later uses raise sqlite3.ProgrammingError."""
        with self._lock:
            self._is_closed = True
            self._close()

    def _opened(self) -> sqlite3.Connection:
        if self._connection is not None and self._path is not None and _identity(self._path) != self._found:
            self._close()
        if self._connection is None:
            if self._is_closed:
                raise sqlite3.ProgrammingError("the file is closed")
            self._connection = self._kind.open_for_writing(self._path)
            self._found = None if self._path is None else _identity(self._path)
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            connection.close()

    def _leave(self) -> None:
        """Wait for whoever uses the file, and close it. Tables in memory are the child's own."""
        self._lock.acquire()
        self._is_left = True
        if self._path is not None:
            self._close()

    def _continue(self) -> None:
        if self._is_left:  # not where another thread has opened the file meanwhile
            self._is_left = False
            self._lock.release()

    def _begin(self) -> None:
        self._is_left = False
        self._lock = RLock()


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one of its name; None where it cannot be found."""
    try:
        found = path.stat()
    except OSError:  # opening it says why
        return None
    return found.st_dev, found.st_ino


def text_or_bytes(data: bytes) -> str | bytes:
    """Return a text of a database, or its bytes if it is no UTF-8: its reader refuses them, and other rows stay.

    It is the `text_factory` of each connection: without one, a single such text fails its whole statement.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def check_files(path: Path) -> None:
    """Check that the file and its companions that SQLite would open are regular files, if they exist.

    Raises OSError, which names the companion file.
    """
    real = os.path.realpath(path)
    with suppress(FileNotFoundError):
        check_regular(real)
    for suffix in _COMPANIONS:
        try:
            check_regular(real + suffix, follow=False)
        except FileNotFoundError:
            continue
        except NotRegular as error:
            raise NotRegular(error.errno, f"{Path(real).name}{suffix}: {error.strerror}", error.filename) from None


def computed(connection: sqlite3.Connection, names: Iterable[str] = ()) -> str:
    """Return the name of what is no table that the file stores, of these tables or of all; empty if all are.

    Views, virtual tables and computed columns have as many and as large rows as whoever made the file likes.
    """
    wanted = set(names)
    rows = connection.execute("SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
    for name, kind, sql in rows:
        if wanted and str(name).lower() not in wanted:
            continue
        is_text = isinstance(name, str) and isinstance(sql, str)
        is_stored = is_text and kind == "table" and not sql.upper().startswith("CREATE VIRTUAL")
        hidden = "SELECT 1 FROM pragma_table_xinfo(?) WHERE hidden <> 0"
        if not is_stored or connection.execute(hidden, (name,)).fetchone() is not None:
            return str(name)
    return ""


def _wait_while_busy(execute: Callable[[], object], seconds: float) -> None:
    """Execute a statement for which SQLite does not wait until other connections are done, such as a change to WAL."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            execute()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & _PRIMARY != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                raise
            time.sleep(_BUSY_PAUSE)
        else:
            return


def why(error: Exception) -> str:
    """Return SQLite's message for an error, if it can be shown."""
    return str(error) if isinstance(error, sqlite3.Error) else "it is damaged"


def _statements(connection: sqlite3.Connection) -> set[str]:
    """The SQL statements that created a file's tables, views, indexes and triggers."""
    return {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}


def _connect(path: Path | None, mode: str, busy_seconds: float) -> sqlite3.Connection:
    connection = sqlite3.connect(
        ":memory:" if path is None else f"file:{quote(str(path.absolute()))}?mode={mode}",
        uri=True,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.text_factory = text_or_bytes
    return connection
