"""Rate limits per tool and user: counters in memory, and beside it those that processes share."""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import UTC, datetime, time, timedelta
from hashlib import sha256
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final, Protocol

from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.base.processes import at_fork

if TYPE_CHECKING:
    from datetime import date


# The protocol of counters: one atomic operation, so that two calls cannot both take the last attempt.

KEPT_LONGER: Final = timedelta(hours=1)
"""How long counters keep expired entries, because clocks differ and may be set back."""

CALLS_KEPT: Final = timedelta(days=30)
"""How long counters know a call of a durable run that counted: as long as such a run waits for a person."""

_LONGEST_SECONDS: Final = 100 * 366 * 86_400
"""Maximum cooldown in seconds: longer ones would overflow dates or Redis numbers."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def in_utc(at: datetime) -> datetime:
    """Return an aware time in UTC."""
    return at if at.tzinfo is UTC else at.astimezone(UTC)


def midnight_after(now: datetime) -> datetime:
    """Return the end of the UTC day of a time in UTC."""
    return datetime.combine(now.date() + timedelta(days=1), time(), UTC)


def cooldown_of(seconds: float) -> timedelta:
    """Return a cooldown as a span: at most a hundred years."""
    return timedelta(seconds=min(seconds, _LONGEST_SECONDS))


def microseconds(span: timedelta) -> int:
    """Return a span in µs."""
    return span // timedelta(microseconds=1)


def since_1970(time: datetime) -> int:
    """Return an aware time in µs since 1970."""
    return microseconds(time - _EPOCH)


def digest_of_attempt(*of: str) -> bytes:
    """Return a digest of a tool, a user, and a call of theirs, which may be of any length and any text."""
    parts = [part.encode("utf-8", "surrogatepass") for part in of]
    return sha256(b"".join(len(part).to_bytes(8) + part for part in parts)).digest()


def limits_unavailable(ident: str) -> CallFailed:
    """Return the error of a call whose limits cannot be checked. It reveals nothing about the counters."""
    message = f"the limits of {ident} cannot be checked now"
    return CallFailed(FailureKind.UNAVAILABLE, "limits_unavailable", message, "try again later, or go on without it")


class Counters(Protocol):
    """Counts attempts, atomically, by tool, user and UTC date."""

    def take(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, call: str = "", /
    ) -> float | Awaitable[float]:
        """Count an attempt, a call of a tool by a user, and return 0; or count nothing, and return the seconds to wait.

        A limit of 0 means none. The time is aware, that of the attempt, and may go back: no wait is longer than the
        cooldown, or than the rest of the UTC day. `call`, if not empty, is the same for all attempts that an engine
        makes of one call, such as after a crash: if one of this tool and user has counted in the last 30 days, the
        others return 0 and count nothing. Raises `CallFailed` if the limits cannot be checked, to fail the call.
        """
        ...

    def wait(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, call: str = "", /
    ) -> float | Awaitable[float]:
        """Return what `take` would, and count nothing."""
        ...


# Counters in the memory of one process.

_SWEEP_EVERY: Final = 1024
"""Number of attempts between two cleanups."""

_DAY: Final = timedelta(days=1)
_NONE: Final = (0, 0.0)


class MemoryCounters:
    """Counts by tool, user and UTC date; drops entries that can no longer limit a call. Threads may share it.

    Of calls of durable runs it knows those that counted in the last 30 days.

    Entries expire by elapsed time: a clock that is wrong for a while resets no limit. A cooldown with a start time in
    the future, from a clock that was ahead, restarts at the next attempt, so it never lasts longer than the rule says.
    """

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, date], tuple[int, float]] = {}
        self._passed: dict[tuple[str, str], tuple[datetime, float]] = {}
        self._calls: dict[tuple[str, str, str], float] = {}
        self._taken = 0
        self._begin()
        at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._lock = Lock()  # another thread may hold that of the parent

    def take(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, call: str = "", /
    ) -> float:
        """Count an attempt and return 0; or count nothing, and return the seconds until one may succeed."""
        now = at if at.tzinfo is UTC else at.astimezone(UTC)
        with self._lock:
            if not call:
                return self._take(ident, user, now, cooldown_seconds, daily_limit)
            if (ident, user, call) in self._calls:
                return 0
            wait = self._take(ident, user, now, cooldown_seconds, daily_limit)
            if not wait:
                self._calls[ident, user, call] = _expires(CALLS_KEPT)
            return wait

    def _take(self, ident: str, user: str, now: datetime, cooldown_seconds: float, daily_limit: int) -> float:
        today = (ident, user, now.date())
        count = self._counts.get(today, _NONE)[0] if daily_limit else 0
        is_used_up = bool(daily_limit) and count >= daily_limit
        if is_used_up or cooldown_seconds:
            wait = self._wait(ident, user, now, cooldown_seconds, is_used_up=is_used_up)
            if wait:
                return wait
        self._taken += 1
        if not self._taken % _SWEEP_EVERY:
            self._sweep()
        if daily_limit:
            self._counts[today] = (count + 1, _expires(_DAY))
        if cooldown_seconds:
            self._passed[ident, user] = (now, _expires(cooldown_of(cooldown_seconds)))
        return 0

    def wait(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, call: str = "", /
    ) -> float:
        """Return the seconds until an attempt may succeed, 0 for now, and count nothing."""
        now = at if at.tzinfo is UTC else at.astimezone(UTC)
        with self._lock:
            if call and (ident, user, call) in self._calls:
                return 0
            is_used_up = bool(daily_limit) and self._counts.get((ident, user, now.date()), _NONE)[0] >= daily_limit
            return self._wait(ident, user, now, cooldown_seconds, is_used_up=is_used_up)

    def _wait(self, ident: str, user: str, now: datetime, cooldown_seconds: float, *, is_used_up: bool) -> float:
        until = midnight_after(now) if is_used_up else now
        if cooldown_seconds:
            until = max(until, self._quiet_until((ident, user), now, cooldown_of(cooldown_seconds)))
        return (until - now).total_seconds()

    def _quiet_until(self, key: tuple[str, str], now: datetime, cooldown: timedelta) -> datetime:
        """Return the end of the cooldown of the last successful attempt, which cannot have been later than now."""
        last = self._passed.get(key)
        if last is None:
            return now
        passed, _ = last
        if passed > now:
            passed = now
            self._passed[key] = (passed, _expires(cooldown))
        return passed + cooldown

    def _sweep(self) -> None:
        elapsed = monotonic()
        self._counts = {key: entry for key, entry in self._counts.items() if entry[1] > elapsed}
        self._passed = {key: entry for key, entry in self._passed.items() if entry[1] > elapsed}
        self._calls = {key: expires for key, expires in self._calls.items() if expires > elapsed}


def _expires(limits: timedelta) -> float:
    """Return when an entry expires that limits calls for a span from now, by elapsed time: no clock changes that."""
    return monotonic() + (limits + KEPT_LONGER).total_seconds()
