"""The file of an SQLite store: its tables, and whether it is still the file that was opened."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING, Final

from toolgen.runtime.base.sqlite_files import UNREADABLE, SqliteKind, why
from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

STORE_FILE: Final = SqliteKind(
    name="store",
    application=0x746F6F6C,  # `tool` in ASCII
    version=1,
    tables=(
        """CREATE TABLE events (
          run_id TEXT NOT NULL, sequence INTEGER NOT NULL, body BLOB NOT NULL, digest BLOB,
          PRIMARY KEY (run_id, sequence)
        ) WITHOUT ROWID""",
        """CREATE TABLE results (
          run_id TEXT NOT NULL, sequence INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (run_id, sequence)
        ) WITHOUT ROWID""",
        """CREATE TABLE runs (
          run_id TEXT PRIMARY KEY, began TEXT NOT NULL, last TEXT NOT NULL, events INTEGER NOT NULL,
          completed INTEGER NOT NULL, failed INTEGER NOT NULL, denied INTEGER NOT NULL
        ) WITHOUT ROWID""",
    ),
    error=StoreError,
    is_exact=True,
)
"""`runs` is only an index for lists; the other two are authoritative."""

_GONE: Final = "its file was deleted, moved or replaced"
_LOG_GONE: Final = "the write-ahead log of its file was deleted or replaced"


class WatchedFile:
    """The file of a store and its write-ahead log, as of the last check.

    SQLite continues to write to a file that has been deleted, and what it writes is lost. Neither file shrinks while a
    store writes: if one has, all pages are checked, because another program may have vacuumed the file or emptied its
    log.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Watch the file that a connection has open, and its log, if the file system supports one.

        A relative path refers to the current working directory. Raises `StoreError` if the file is already gone.
        """
        self._path: Final = path.absolute()
        self._text = str(self._path)
        self._log: int | None = None
        try:
            found = path.stat()
            if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
                # SQLite holds no locks on the log, so closing this descriptor releases none.
                self._log = os.open(f"{self._text}-wal", os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise StoreError(_GONE) from error
        self._file = (found.st_dev, found.st_ino)
        self._size = self._log_size = 0

    def check(self) -> None:
        """Check again. Raises `StoreError` if the files are not those that were opened, or are damaged."""
        try:
            found = os.stat(self._text)  # noqa: PTH116  # Path.stat takes half as long again: it is done for every commit
        except OSError as error:
            raise StoreError(_GONE) from error
        if (found.st_dev, found.st_ino) != self._file:
            raise StoreError(_GONE)
        log_size = 0
        if self._log is not None:
            log = os.fstat(self._log)
            if not log.st_nlink:
                raise StoreError(_LOG_GONE)
            log_size = log.st_size
        if found.st_size < self._size or log_size < self._log_size:
            self._check_pages()
        self._size, self._log_size = found.st_size, log_size

    def close(self) -> None:
        """Close the log."""
        if self._log is not None:
            os.close(self._log)
            self._log = None

    def _check_pages(self) -> None:
        with closing(STORE_FILE.open_for_reading(self._path)) as connection:
            try:
                found = connection.execute("PRAGMA quick_check(1)").fetchone()
            except UNREADABLE as error:
                raise StoreError(f"its file was truncated: {why(error)}") from error
        if found != ("ok",):
            raise StoreError("its file was truncated")
