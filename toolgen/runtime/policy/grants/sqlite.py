"""Grants in an SQLite file, which hold in every process that has it open, and after restarts."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.base.sqlite_files import UNREADABLE, SqliteFile, SqliteKind, why
from toolgen.runtime.policy.grants import GrantsError, digest_of

if TYPE_CHECKING:
    from toolgen.runtime.policy.grants import Grant

_KIND: Final = SqliteKind(
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

    A process that is forked may use them too. Raises `GrantsError` if the file cannot be opened, or is another file.
    """

    def __init__(self, path: str | Path) -> None:
        self._file = SqliteFile(_KIND, Path(path))

    def of(self, user: str | None, session_id: str) -> SqliteSessionGrants:
        """Return the grants of a session of a user, which last until they are revoked."""
        return SqliteSessionGrants(self._file, digest_of((user, session_id)))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class SqliteSessionGrants:
    """The grants of one session in a file. Implements `Grants`; all methods raise `GrantsError`."""

    def __init__(self, file: SqliteFile, session: bytes) -> None:
        self._file = file
        self._session = session

    def holds(self, grant: Grant, /) -> bool:
        """Return whether a grant was given and not revoked, in any process."""
        statement = "SELECT 1 FROM grants WHERE session = ? AND granted = ?"
        with _errors():
            return self._file.run(statement, self._key(grant)) is not None

    async def find(self, grant: Grant, /) -> bool:
        """Return the same as `holds`."""
        return self.holds(grant)

    def add(self, grant: Grant, /) -> None:
        """Store a grant."""
        statement = "INSERT OR IGNORE INTO grants (session, granted, tool) VALUES (?, ?, ?)"
        with _errors():
            self._file.run(statement, (*self._key(grant), grant[0]))

    def revoke(self, tool: str = "", /) -> None:
        """Remove the grants of a tool, or all."""
        with _errors():
            self._file.run("DELETE FROM grants WHERE session = ? AND ? IN ('', tool)", (self._session, tool))

    def _key(self, grant: Grant) -> tuple[Any, ...]:
        return self._session, digest_of(grant)


@contextmanager
def _errors() -> Generator[None]:
    try:
        yield
    except UNREADABLE as error:
        raise GrantsError(f"the grants cannot be read or written: {why(error)}") from error
