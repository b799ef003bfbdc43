"""Grants of sessions: answers that also allow later calls; in memory and in SQLite files, and beside it in Postgres."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Generator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from toolgen.runtime.base.sqlite_files import UNREADABLE, SqliteKind, why
from toolgen.runtime.policy.scope import Scope

if TYPE_CHECKING:
    import sqlite3


# The protocol of the grants of one session, and grants in memory.

Grant: TypeAlias = tuple[str, Scope]
"""A grant for a session: an ident, and its scope."""


class Grants(Protocol):
    """The grants of one session.

    Any method may raise: then a call is not granted and asks, or an answer is only for the call that asked.
    """

    def holds(self, grant: Grant, /) -> bool | None:
        """Return whether a grant was given and not revoked; None if only `find` can tell."""
        ...

    async def find(self, grant: Grant, /) -> bool:
        """Return what `holds` cannot tell without waiting."""
        ...

    def add(self, grant: Grant, /) -> Awaitable[None] | None:
        """Store a grant. An awaitable completes when it holds in every process."""
        ...

    def revoke(self, tool: str = "", /) -> Awaitable[None] | None:
        """Remove the grants of a tool, or all. An awaitable completes when none of them holds in any process."""
        ...


class MemoryGrants(set[Grant]):
    """Grants in memory. Implements `Grants`."""

    def holds(self, grant: Grant, /) -> bool:
        """Return whether a grant was given and not revoked."""
        return grant in self

    async def find(self, grant: Grant, /) -> bool:
        """Return the same as `holds`."""
        return grant in self

    def revoke(self, tool: str = "", /) -> None:
        """Remove the grants of a tool, or all."""
        self.difference_update([grant for grant in self if tool in ("", grant[0])])


class GrantsError(RuntimeError):
    """Stored grants cannot be opened, read or written. The message contains no path and no credentials."""


def digest_of(value: object) -> bytes:
    """Return a digest of texts in tuples, equal for equal texts only.

    Stores only keep digests: a scope has values that a model chose, and a secret may be among them.
    """
    return sha256(json.dumps(value).encode()).digest()  # in ASCII, because texts may have lone surrogates


# Grants in an SQLite file, which hold in every process that has it open, and after restarts.

_FILE: Final = SqliteKind(
    name="file of grants",
    application=0x74677261,  # `tgra` in ASCII
    version=1,
    tables=(
        """CREATE TABLE grants (
          session BLOB NOT NULL, granted BLOB NOT NULL, tool TEXT NOT NULL, PRIMARY KEY (session, granted)
        ) WITHOUT ROWID""",
    ),
    error=GrantsError,
    is_exact=True,
)


class SqliteGrants:
    """The grants of sessions in a file; several processes may have it open. Of users and scopes it only has digests.

    Raises `GrantsError` if the file cannot be opened, or is another file.
    """

    def __init__(self, path: str | Path) -> None:
        self._connection = _FILE.open_for_writing(Path(path))

    def of(self, user: str | None, session_id: str) -> SqliteSessionGrants:
        """Return the grants of a session of a user, which last until they are revoked."""
        return SqliteSessionGrants(self._connection, digest_of((user, session_id)))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class SqliteSessionGrants:
    """The grants of one session in a file. Implements `Grants`; all methods raise `GrantsError`."""

    def __init__(self, connection: sqlite3.Connection, session: bytes) -> None:
        self._connection = connection
        self._session = session

    def holds(self, grant: Grant, /) -> bool:
        """Return whether a grant was given and not revoked, in any process."""
        statement = "SELECT 1 FROM grants WHERE session = ? AND granted = ?"
        with _errors():
            return self._connection.execute(statement, self._key(grant)).fetchone() is not None

    async def find(self, grant: Grant, /) -> bool:
        """Return the same as `holds`."""
        return self.holds(grant)

    def add(self, grant: Grant, /) -> None:
        """Store a grant."""
        statement = "INSERT OR IGNORE INTO grants (session, granted, tool) VALUES (?, ?, ?)"
        with _errors():
            self._connection.execute(statement, (*self._key(grant), grant[0]))

    def revoke(self, tool: str = "", /) -> None:
        """Remove the grants of a tool, or all."""
        with _errors():
            self._connection.execute("DELETE FROM grants WHERE session = ? AND ? IN ('', tool)", (self._session, tool))

    def _key(self, grant: Grant) -> tuple[Any, ...]:
        return self._session, digest_of(grant)


@contextmanager
def _errors() -> Generator[None]:
    try:
        yield
    except UNREADABLE as error:
        raise GrantsError(f"the grants cannot be read or written: {why(error)}") from error
