"""The tables of the file of an SQLite store."""

from __future__ import annotations

from typing import Final

from toolgen.runtime.base.sqlite_files import SqliteKind
from toolgen.runtime.events.records import StoreError

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
