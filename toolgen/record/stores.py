"""Which store a target names: a Postgres database by its URL, or else an SQLite file by its path."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import urlsplit

from toolgen.runtime.base.postgres import is_postgres_url

if TYPE_CHECKING:
    from toolgen.record.chain import ChainKey
    from toolgen.record.postgres import PostgresReader, PostgresStore
    from toolgen.record.sqlite import SqliteReader, SqliteStore

DurableStore: TypeAlias = "SqliteStore | PostgresStore"
StoreReader: TypeAlias = "SqliteReader | PostgresReader"


def open_store(target: str | Path, *, key: ChainKey | None = None) -> DurableStore:
    """Open the store at a target, a path or a `postgresql://` URL, and create it where it is missing.

    Raises `StoreError`, and ImportError if an extra is missing.
    """
    if is_postgres_url(target):
        from toolgen.record.postgres import PostgresStore

        return PostgresStore(target, key=key)
    from toolgen.record.sqlite import SqliteStore

    return SqliteStore(target, key=key)


SQLITE: Final = b"SQLite format 3\0"
"""How each file of SQLite begins."""


def open_reader(target: str | Path) -> StoreReader:
    """Return a reader of the store at a target. Raises `StoreError` for an invalid URL, and ImportError."""
    if is_postgres_url(target):
        from toolgen.record.postgres import PostgresReader

        return PostgresReader(target)
    from toolgen.record.sqlite import SqliteReader

    return SqliteReader(target)


def name_of_target(target: str) -> str:
    """Return what messages call a target: the name of a file, or a URL without its credentials and parameters."""
    if not is_postgres_url(target):
        return Path(target).name
    parts = urlsplit(target)
    return f"postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}"
