"""Counters in an SQLite file, shared between the processes of one machine."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from toolgen.runtime.base.processes import at_fork
from toolgen.runtime.base.sqlite_files import UNREADABLE, SqliteFile, SqliteKind, why
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

if TYPE_CHECKING:
    import sqlite3


class CountersError(RuntimeError):
    """A file of counters cannot be opened. The message contains no path."""


_KIND: Final = SqliteKind(
    name="file of counters",
    application=0x74636E74,  # `tcnt` in ASCII
    version=2,
    tables=(
        """CREATE TABLE cooldowns (
          whose BLOB PRIMARY KEY, passed INTEGER NOT NULL, expires INTEGER NOT NULL
        ) WITHOUT ROWID""",
        "CREATE INDEX cooldowns_expire ON cooldowns (expires)",
        """CREATE TABLE attempts (
          whose BLOB NOT NULL, day TEXT NOT NULL, count INTEGER NOT NULL, expires INTEGER NOT NULL,
          PRIMARY KEY (whose, day)
        ) WITHOUT ROWID""",
        "CREATE INDEX attempts_expire ON attempts (expires)",
        "CREATE TABLE calls (call BLOB PRIMARY KEY, expires INTEGER NOT NULL) WITHOUT ROWID",
        "CREATE INDEX calls_expire ON calls (expires)",
    ),
    error=CountersError,
    is_exact=True,
)
"""`whose` is a digest of a tool and a user, `passed` the time of the last successful attempt, in µs since 1970.

`call` is a digest of a call of a durable run that has counted.

Rows expire by elapsed time, in seconds since the machine started, as a clock that is wrong for a while must reset no
limit. After a restart old rows stay for longer.
"""

_PASSED: Final = "SELECT passed FROM cooldowns WHERE whose = ?"
_COUNTED: Final = "SELECT count FROM attempts WHERE whose = ? AND day = ?"
_SET_PASSED: Final = """
INSERT INTO cooldowns (whose, passed, expires) VALUES (?, ?, ?)
ON CONFLICT (whose) DO UPDATE SET passed = excluded.passed, expires = excluded.expires
"""
_COUNT: Final = """
INSERT INTO attempts (whose, day, count, expires) VALUES (?, ?, 1, ?)
ON CONFLICT (whose, day) DO UPDATE SET count = count + 1, expires = excluded.expires
"""
_HAS_COUNTED: Final = "SELECT 1 FROM calls WHERE call = ?"
_KEEP_CALL: Final = "INSERT INTO calls (call, expires) VALUES (?, ?)"
_DAY: Final = timedelta(days=1)
_SWEEP: Final = (
    "DELETE FROM cooldowns WHERE expires < ?",
    "DELETE FROM attempts WHERE expires < ?",
    "DELETE FROM calls WHERE expires < ?",
)


class SqliteCounters:
    """Counts by tool, user and UTC date, in an SQLite file that several processes of one machine may have open.

    `take` is one transaction, in a thread. If it fails or takes longer than `timeout` seconds, as where another process
    holds the file, the call is rejected as `unavailable`, code `limits_unavailable`. If it takes longer, the attempt
    may count. Of users and tools only digests are stored. A file that was deleted begins anew at the next `take`.

    A process that is forked may use them too. Raises `CountersError` if the file cannot be opened, or is another file.
    Use it as an async context manager, or `aclose` it.
    """

    def __init__(self, path: str | Path, *, timeout: float = 2.0) -> None:
        self._timeout = timeout
        self._file = SqliteFile(replace(_KIND, busy_seconds=timeout), Path(path))
        self._begin()
        at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        # One of its own: those of the event loop may all be in handlers. One, because one at a time uses the file.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="toolgen-limits")

    async def __aenter__(self) -> SqliteCounters:
        """Return self; the file is open."""
        return self

    async def __aexit__(self, *_exception: object) -> None:
        """Close the file."""
        await self.aclose()

    async def aclose(self) -> None:
        """Close the file. A later `take` raises `CallFailed`."""
        self._thread.shutdown(wait=False)
        await asyncio.to_thread(self._file.close)

    async def take(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, call: str = "", /
    ) -> float:
        """Count an attempt and return 0; or count nothing, and return the seconds until one may succeed.

        Raises `CallFailed` if the file cannot be used.
        """
        return await self._evaluated(ident, user, at, cooldown_seconds, daily_limit, call, counts=True)

    async def wait(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, call: str = "", /
    ) -> float:
        """Return the seconds until an attempt may succeed, 0 for now, and count nothing.

        Raises `CallFailed` if the file cannot be used.
        """
        return await self._evaluated(ident, user, at, cooldown_seconds, daily_limit, call, counts=False)

    async def _evaluated(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, call: str, *, counts: bool
    ) -> float:
        whose, now, cooldown = digest_of_attempt(ident, user), in_utc(at), cooldown_of(cooldown_seconds)
        made = digest_of_attempt(ident, user, call) if call else None
        work = partial(self._evaluate, whose, now, cooldown, daily_limit, made, counts=counts)
        try:
            async with asyncio.timeout(self._timeout):
                wait = await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except (*UNREADABLE, OSError, RuntimeError, TypeError) as error:  # TypeError: a column has another type
            reason = why(error) if isinstance(error, UNREADABLE) else str(error) or "it is in use for too long"
            warn("limits cannot be checked in SQLite: %s", reason)
            raise limits_unavailable(ident) from error
        return timedelta(microseconds=wait).total_seconds()

    def _evaluate(
        self, whose: bytes, now: datetime, cooldown: timedelta, daily_limit: int, call: bytes | None, *, counts: bool
    ) -> int:
        """Return the µs to wait; if they are 0, count an attempt, if that is wanted, and once for a call."""
        with self._file.using() as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            if call and connection.execute(_HAS_COUNTED, (call,)).fetchone():
                return 0
            wait = _wait(connection, whose, now, cooldown, daily_limit)
            if counts and not wait:
                _count(connection, whose, now, cooldown, daily_limit)
                if call:
                    connection.execute(_KEEP_CALL, (call, _expires(CALLS_KEPT)))
            return wait


def _wait(connection: sqlite3.Connection, whose: bytes, now: datetime, cooldown: timedelta, daily_limit: int) -> int:
    """Return the µs to wait. A time in the future, from a clock that was ahead, counts as now, and is stored as now."""
    at = ready = since_1970(now)
    if cooldown:
        last = connection.execute(_PASSED, (whose,)).fetchone()
        if last is not None and last[0] > at:
            last = (at,)
            _set_passed(connection, whose, at, cooldown)
        ready = at if last is None else last[0] + microseconds(cooldown)
    if daily_limit:
        counted = connection.execute(_COUNTED, (whose, now.date().isoformat())).fetchone()
        if counted is not None and counted[0] >= daily_limit:
            ready = max(ready, since_1970(midnight_after(now)))
    return max(ready - at, 0)


def _count(connection: sqlite3.Connection, whose: bytes, now: datetime, cooldown: timedelta, daily_limit: int) -> None:
    for statement in _SWEEP:  # each time: a process may make few calls
        connection.execute(statement, (int(monotonic()),))
    if daily_limit:
        connection.execute(_COUNT, (whose, now.date().isoformat(), _expires(_DAY)))
    if cooldown:
        _set_passed(connection, whose, since_1970(now), cooldown)


def _set_passed(connection: sqlite3.Connection, whose: bytes, at: int, cooldown: timedelta) -> None:
    connection.execute(_SET_PASSED, (whose, at, _expires(cooldown)))


def _expires(limits: timedelta) -> int:
    """Return when a row expires that limits calls for a span from now."""
    return int(monotonic() + (limits + KEPT_LONGER).total_seconds())
