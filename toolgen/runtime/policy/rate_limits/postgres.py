"""Counters in Postgres, shared between processes. Needs the extra `postgres`, imported on use."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any, Final, LiteralString

from toolgen.runtime.base.postgres import AsyncConnections, PostgresDatabase, PostgresTables
from toolgen.runtime.policy.rate_limits import (
    CALLS_KEPT,
    KEPT_LONGER,
    cooldown_of,
    digest_of_attempt,
    in_utc,
    limits_unavailable,
    microseconds,
    midnight_after,
    since_1970,
)
from toolgen.runtime.redact.warning import warn

_TABLES: Final = PostgresTables(
    name="limits",
    migrations=(
        """
        CREATE TABLE toolgen.cooldowns (whose bytea PRIMARY KEY, passed bigint NOT NULL, expires timestamptz NOT NULL);
        CREATE INDEX cooldowns_expire ON toolgen.cooldowns (expires);
        CREATE TABLE toolgen.attempts (
          whose bytea, day date, count bigint NOT NULL, expires timestamptz NOT NULL, PRIMARY KEY (whose, day)
        );
        CREATE INDEX attempts_expire ON toolgen.attempts (expires);
        """,
        """
        DROP FUNCTION IF EXISTS toolgen.take_attempt;
        CREATE TABLE toolgen.calls (call bytea PRIMARY KEY, expires timestamptz NOT NULL);
        CREATE INDEX calls_expire ON toolgen.calls (expires);
        CREATE FUNCTION toolgen.take_attempt(
          whose_ bytea, now_ bigint, midnight bigint, today date, cooldown bigint, daily_limit bigint, kept interval,
          call_ bytea, calls_kept interval, counts boolean
        ) RETURNS bigint LANGUAGE plpgsql AS $$
        DECLARE
          ready bigint := now_;
          last_passed bigint;
          counted bigint := 0;
        BEGIN
          PERFORM pg_advisory_xact_lock(('x' || encode(substring(whose_ FOR 8), 'hex'))::bit(64)::bigint);
          IF call_ IS NOT NULL THEN
            PERFORM FROM toolgen.calls WHERE call = call_;
            IF FOUND THEN
              RETURN 0;
            END IF;
          END IF;
          IF cooldown > 0 THEN
            SELECT passed INTO last_passed FROM toolgen.cooldowns WHERE whose = whose_;
            IF last_passed > now_ THEN
              last_passed := now_;
              UPDATE toolgen.cooldowns SET passed = now_, expires = now() + cooldown * interval '1 microsecond' + kept
                WHERE whose = whose_;
            END IF;
            ready := coalesce(last_passed + cooldown, now_);
          END IF;
          IF daily_limit > 0 THEN
            SELECT count INTO counted FROM toolgen.attempts WHERE whose = whose_ AND day = today;
            IF counted >= daily_limit THEN
              ready := greatest(ready, midnight);
            END IF;
          END IF;
          IF ready > now_ THEN
            RETURN ready - now_;
          END IF;
          IF NOT counts THEN
            RETURN 0;
          END IF;
          IF daily_limit > 0 THEN
            INSERT INTO toolgen.attempts AS a (whose, day, count, expires)
              VALUES (whose_, today, 1, now() + (midnight - now_) * interval '1 microsecond' + kept)
              ON CONFLICT (whose, day) DO UPDATE SET count = a.count + 1, expires = excluded.expires;
          END IF;
          IF cooldown > 0 THEN
            INSERT INTO toolgen.cooldowns (whose, passed, expires)
              VALUES (whose_, now_, now() + cooldown * interval '1 microsecond' + kept)
              ON CONFLICT (whose) DO UPDATE SET passed = excluded.passed, expires = excluded.expires;
          END IF;
          IF call_ IS NOT NULL THEN
            INSERT INTO toolgen.calls (call, expires) VALUES (call_, now() + calls_kept + kept);
          END IF;
          RETURN 0;
        END
        $$;
        """,
    ),
    error=RuntimeError,
)
"""`whose` is a digest of a tool and a user, `call` one of a call of a durable run that has counted.

`take_attempt` returns how long to wait, and counts an attempt if asked to: a call that has counted does not wait.

Times are in µs since 1970. Of a cooldown the time of the last successful attempt is stored; a time in the future, from
a clock that was ahead, counts as now, so that no wait is longer than the cooldown. Rows expire by the server's clock.
"""

_TAKE: Final = "SELECT toolgen.take_attempt(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
_SWEEP: Final[tuple[LiteralString, ...]] = (
    "DELETE FROM toolgen.cooldowns WHERE expires < now()",
    "DELETE FROM toolgen.attempts WHERE expires < now()",
    "DELETE FROM toolgen.calls WHERE expires < now()",
)
_SWEEP_EVERY: Final = 1024
"""Number of attempts of one process between two removals of expired rows."""

_LARGEST_LIMIT: Final = 2**62


class PostgresCounters:
    """Counts by tool, user and UTC date, in the Postgres database at a URL: `postgresql://user:password@host/database`.

    `take` is one atomic round trip. If it fails or takes longer than `timeout` seconds, the call is rejected as
    `unavailable`, code `limits_unavailable`. If the response is lost, the attempt may count. The tables are created at
    the first `take` if missing. Of users and tools only digests are stored.

    Raises ImportError without psycopg, and ValueError for an invalid URL; messages do not contain credentials. Use it
    as an async context manager, or `aclose` it, in each event loop that has made calls.
    """

    def __init__(self, url: str, *, timeout: float = 2.0) -> None:
        self._timeout = timeout
        self._database = PostgresDatabase(url, timeout=timeout)
        self._connections = AsyncConnections(self._database, _TABLES)
        self._taken = 0

    async def __aenter__(self) -> PostgresCounters:
        """Return self; connections are opened on demand."""
        return self

    async def __aexit__(self, *_exception: object) -> None:
        """Close the connections."""
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections of the running event loop. A later `take` opens new ones."""
        await self._connections.aclose()

    async def take(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, call: str = "", /
    ) -> float:
        """Count an attempt and return 0; or count nothing, and return the seconds until one may succeed.

        Raises `CallFailed` if Postgres is unavailable.
        """
        return await self._evaluated(ident, user, at, cooldown_seconds, daily_limit, call, counts=True)

    async def wait(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, call: str = "", /
    ) -> float:
        """Return the seconds until an attempt may succeed, 0 for now, and count nothing.

        Raises `CallFailed` if Postgres is unavailable.
        """
        return await self._evaluated(ident, user, at, cooldown_seconds, daily_limit, call, counts=False)

    async def _evaluated(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, call: str, *, counts: bool
    ) -> float:
        import psycopg

        arguments = _arguments(ident, user, in_utc(at), cooldown_of(cooldown_seconds), daily_limit, call)
        try:
            async with asyncio.timeout(self._timeout):
                row = await self._connections.fetch_one(_TAKE, (*arguments, counts))
                await self._sweep()
        except (psycopg.Error, OSError, RuntimeError) as error:
            warn("limits cannot be checked in Postgres: %s", self._database.why(error))
            raise limits_unavailable(ident) from error
        assert row is not None, "a function returns a row"
        return timedelta(microseconds=row[0]).total_seconds()

    async def _sweep(self) -> None:
        """Remove expired rows, periodically."""
        self._taken += 1
        if not self._taken % _SWEEP_EVERY:
            for statement in _SWEEP:
                await self._connections.fetch_one(statement, ())


def _arguments(
    ident: str, user: str, now: datetime, cooldown: timedelta, daily_limit: int, call: str
) -> tuple[Any, ...]:
    midnight = midnight_after(now)
    return (
        digest_of_attempt(ident, user),
        since_1970(now),
        since_1970(midnight),
        now.date(),
        microseconds(cooldown),
        min(daily_limit, _LARGEST_LIMIT),
        KEPT_LONGER,
        digest_of_attempt(ident, user, call) if call else None,
        CALLS_KEPT,
    )
