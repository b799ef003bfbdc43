"""The protocol of counters: one atomic operation, so that two calls cannot both take the last attempt."""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import UTC, datetime, time, timedelta
from typing import Final, Protocol

KEPT_LONGER: Final = timedelta(hours=1)
"""How long counters keep expired entries, because clocks differ and may be set back."""

_LONGEST_SECONDS: Final = 100 * 366 * 86_400
"""Maximum cooldown in seconds: longer ones would overflow dates or Redis numbers."""


def in_utc(at: datetime) -> datetime:
    """Return an aware time in UTC."""
    return at if at.tzinfo is UTC else at.astimezone(UTC)


def midnight_after(now: datetime) -> datetime:
    """Return the end of the UTC day of a time in UTC."""
    return datetime.combine(now.date() + timedelta(days=1), time(), UTC)


def cooldown_of(seconds: float) -> timedelta:
    """Return a cooldown as a span: at most a hundred years."""
    return timedelta(seconds=min(seconds, _LONGEST_SECONDS))


class Counters(Protocol):
    """Counts attempts, atomically, by tool, user and UTC date."""

    def take(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, /
    ) -> float | Awaitable[float]:
        """Count an attempt, a call of a tool by a user, and return 0; or count nothing, and return the seconds to wait.

        A limit of 0 means none. The time is aware, that of the attempt, and may go back: no wait is longer than the
        cooldown, or than the rest of the UTC day. Raises `CallFailed` if the limits cannot be checked, to fail the
        call.
        """
        ...

    def wait(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, /
    ) -> float | Awaitable[float]:
        """Return what `take` would, and count nothing."""
        ...
