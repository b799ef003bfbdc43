"""SQLite files of toolgen's own kinds: how they are made, told from other files, and opened."""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from toolgen.spec.files import NotRegular, check_regular

_BUSY_SECONDS: Final = 30.0
_BESIDE: Final = ("-journal", "-wal", "-shm")
"""What SQLite adds to the name of a file for those that it keeps beside it."""

UNREADABLE: Final = (sqlite3.Error, UnicodeDecodeError, MemoryError)
"""What SQLite raises over a damaged file: its own message may quote bytes that are no UTF-8, and a damaged length may
ask for any amount of memory.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteKind:
    """One kind of file. `application` tells it from other SQLite files; `error` is what opening it raises.

    An exact one that has other tables, indexes or triggers is not written to.
    """

    name: str
    application: int
    version: int
    tables: tuple[str, ...]
    error: type[Exception]
    is_exact: bool = False

    def open_for_writing(self, path: Path | None) -> sqlite3.Connection:
        """Open a file, and make it where there is none, for the owner alone; without a path in memory."""
        try:
            if path is not None:
                check_files(path)
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            with ExitStack() as unless_opened:
                connection = _connect(path, "rw")
                unless_opened.callback(connection.close)
                self._prepare(connection)
                unless_opened.pop_all()
        except OSError as error:
            raise self._cannot_be_opened(error.strerror) from error
        except UNREADABLE as error:
            raise self._cannot_be_opened(why(error)) from error
        return connection

    def open_for_reading(self, path: Path) -> sqlite3.Connection:
        """Open a file that is there."""
        try:
            check_files(path)
            with ExitStack() as unless_opened:
                connection = _connect(path, "ro")
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
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # what was said to be written stays written, whatever fails
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
        """Raise for an exact kind with more or less than its tables: a trigger, say, that removes what is written."""
        if self.is_exact and _statements(connection) != set(self.tables):
            raise self.error(f"the {self.name} has other tables, indexes or triggers than toolgen makes")

    def has_other_parts(self, connection: sqlite3.Connection) -> bool:
        """Whether a file has tables, views, indexes or triggers that its kind does not have, or has them otherwise."""
        return not _statements(connection) <= set(self.tables)

    def _is_of_kind(self, connection: sqlite3.Connection) -> bool:
        """Whether the file is one of these; an empty one is none yet. Raises for a file of something else."""
        application, version, tables = connection.execute(
            "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)"
            " FROM pragma_application_id, pragma_user_version"
        ).fetchone()
        if (application, tables) == (0, 0):
            return False
        if application != self.application:
            raise self.error(f"the file is no {self.name} of toolgen")
        if version != self.version:
            raise self.error(f"the {self.name} has version {version}, and this toolgen reads version {self.version}")
        return True

    def _cannot_be_opened(self, reason: object) -> Exception:
        return self.error(f"the {self.name} cannot be opened: {reason}")


def check_files(path: Path) -> None:
    """Check that what SQLite would open for a file, and wait for, is regular, as far as it is there.

    Raises OSError, which names a file beside the one that is asked for.
    """
    real = os.path.realpath(path)
    if os.path.lexists(real):
        check_regular(real)
    for suffix in _BESIDE:
        try:
            check_regular(real + suffix, follow=False)
        except FileNotFoundError:
            continue
        except NotRegular as error:
            raise NotRegular(error.errno, f"{Path(real).name}{suffix}: {error.strerror}", error.filename) from None


def why(error: Exception) -> str:
    """What SQLite says of an error, where that can be said."""
    return str(error) if isinstance(error, sqlite3.Error) else "it is damaged"


def _statements(connection: sqlite3.Connection) -> set[str]:
    """The statements that a file's tables, views, indexes and triggers were made by."""
    return {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}


def _connect(path: Path | None, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(
        ":memory:" if path is None else f"file:{quote(str(path.absolute()))}?mode={mode}",
        uri=True,
        timeout=_BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
