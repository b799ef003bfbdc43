"""Grants in Postgres, which hold in every process. Needs the extra `postgres`, imported on use."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final, LiteralString

from toolgen.runtime.base.postgres import AsyncConnections, PostgresDatabase, PostgresTables
from toolgen.runtime.policy.grants import Grant, GrantsError, digest_of

_TABLES: Final = PostgresTables(
    name="grants",
    migrations=(
        """
        CREATE TABLE toolgen.grants (
          session bytea NOT NULL, granted bytea NOT NULL, tool text NOT NULL, at timestamptz NOT NULL DEFAULT now(),
          PRIMARY KEY (session, granted)
        )
        """,
    ),
    error=GrantsError,
)

_FIND: Final = "SELECT 1 FROM toolgen.grants WHERE session = %s AND granted = %s"
_ADD: Final = "INSERT INTO toolgen.grants (session, granted, tool) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
_REVOKE: Final = "DELETE FROM toolgen.grants WHERE session = %s AND %s IN ('', tool)"


class PostgresGrants:
    """The grants of sessions in the database at a URL: `postgresql://user:password@host/database`.

    A grant, and its revocation, holds in every process from the next call on: nothing is cached, and each call that
    needs permission takes one round trip, of at most `timeout` seconds. Of users and scopes only digests are stored.
    The tables are created on first use if missing.

    Raises ImportError without psycopg, and ValueError for an invalid URL; messages do not contain credentials. `aclose`
    it in each event loop that has made calls.
    """

    def __init__(self, url: str, *, timeout: float = 2.0) -> None:
        self._timeout = timeout
        self._database = PostgresDatabase(url, timeout=timeout)
        self._connections = AsyncConnections(self._database, _TABLES)

    def of(self, user: str | None, session_id: str) -> PostgresSessionGrants:
        """Return the grants of a session of a user, which last until they are revoked."""
        return PostgresSessionGrants(self, digest_of((user, session_id)))

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self._connections.aclose()

    async def fetch_one(self, statement: LiteralString, parameters: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Run one statement. Raises `GrantsError`."""
        with self._errors():
            async with asyncio.timeout(self._timeout):
                return await self._connections.fetch_one(statement, parameters)

    @contextmanager
    def _errors(self) -> Generator[None]:
        import psycopg

        try:
            yield
        except (psycopg.Error, OSError) as error:
            raise GrantsError(f"the grants cannot be read or written: {self._database.why(error)}") from error


class PostgresSessionGrants:
    """The grants of one session in a database. Implements `Grants`; its coroutines raise `GrantsError`."""

    def __init__(self, grants: PostgresGrants, session: bytes) -> None:
        self._grants = grants
        self._session = session

    def holds(self, _grant: Grant, /) -> None:
        """Return None: only the database can tell."""

    async def find(self, grant: Grant, /) -> bool:
        """Return whether a grant was given and not revoked, in any process."""
        return await self._grants.fetch_one(_FIND, (self._session, digest_of(grant))) is not None

    async def add(self, grant: Grant, /) -> None:
        """Store a grant."""
        await self._grants.fetch_one(_ADD, (self._session, digest_of(grant), grant[0]))

    async def revoke(self, tool: str = "", /) -> None:
        """Remove the grants of a tool, or all."""
        await self._grants.fetch_one(_REVOKE, (self._session, tool))
