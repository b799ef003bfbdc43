"""The file of a SQLite store: its tables, and how it is opened."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from toolgen.runtime.stores.records import StoreError

if TYPE_CHECKING:
    from pathlib import Path

_APPLICATION: Final = 0x746F6F6C
"""`tool` in ASCII: tells a store from other SQLite files."""

_VERSION: Final = 1
_BUSY_SECONDS: Final = 30.0

_TABLES: Final = """
CREATE TABLE events (
  run_id TEXT NOT NULL, sequence INTEGER NOT NULL, body BLOB NOT NULL, digest BLOB, PRIMARY KEY (run_id, sequence)
) WITHOUT ROWID;
CREATE TABLE results (
  run_id TEXT NOT NULL, sequence INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (run_id, sequence)
) WITHOUT ROWID;
CREATE TABLE runs (
  run_id TEXT PRIMARY KEY, began TEXT NOT NULL, last TEXT NOT NULL, events INTEGER NOT NULL,
  completed INTEGER NOT NULL, failed INTEGER NOT NULL, denied INTEGER NOT NULL
) WITHOUT ROWID;
"""
"""`runs` only spares lists the reading of all events; what is true is in the other two."""


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Open a store, and make it where there is none, for the owner alone. Raises `StoreError`."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise StoreError(f"the store cannot be opened: {error.strerror}") from error
    connection = _connect(path, "rw")
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # a head that was exported must not outlive its events
        connection.execute("BEGIN IMMEDIATE")
        if not _is_store(connection):
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        connection.close()
        raise StoreError(f"the store cannot be opened: {error}") from error
    except StoreError:
        connection.close()
        raise
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open a store that is there. Raises `StoreError`."""
    connection = _connect(path, "ro")
    try:
        if _is_store(connection):
            return connection
    except sqlite3.Error as error:
        connection.close()
        raise StoreError(f"the store cannot be opened: {error}") from error
    except StoreError:
        connection.close()
        raise
    connection.close()
    raise StoreError("the store is empty")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    try:
        return sqlite3.connect(
            f"file:{quote(str(path.absolute()))}?mode={mode}",
            uri=True,
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.Error as error:
        raise StoreError(f"the store cannot be opened: {error}") from error


def _is_store(connection: sqlite3.Connection) -> bool:
    """Whether the file is a store; an empty one is none yet. Raises `StoreError` for a file of something else."""
    application, version, tables = connection.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)"
        " FROM pragma_application_id, pragma_user_version"
    ).fetchone()
    if (application, tables) == (0, 0):
        return False
    if application != _APPLICATION:
        raise StoreError("the file is no store of toolgen")
    if version != _VERSION:
        raise StoreError(f"the store has version {version}, and this toolgen reads version {_VERSION}")
    return True
