"""The protocol of counters: one atomic operation, so that two calls cannot both take the last attempt."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable

KEPT_LONGER: Final = timedelta(hours=1)
"""How long counters keep expired entries, because clocks differ and may be set back."""

_LONGEST_SECONDS: Final = 100 * 366 * 86_400
"""Maximum cooldown in seconds: longer ones would overflow dates or Redis numbers."""


class Attempt(NamedTuple):
    """One call of a tool by a user, at a timezone-aware time. Limits of 0 mean no limit."""

    ident: str
    user: str
    at: datetime
    cooldown_seconds: float = 0
    daily_limit: int = 0

    @property
    def now(self) -> datetime:
        """The time of the attempt in UTC."""
        return self.at if self.at.tzinfo is UTC else self.at.astimezone(UTC)

    @property
    def midnight(self) -> datetime:
        """The end of its UTC day."""
        return datetime.combine(self.now.date() + timedelta(days=1), time(), UTC)

    @property
    def cooldown(self) -> timedelta:
        """The cooldown after this attempt: at most a hundred years."""
        return timedelta(seconds=min(self.cooldown_seconds, _LONGEST_SECONDS))


class Counters(Protocol):
    """Counts attempts, atomically, by tool, user and UTC date."""

    def take(self, attempt: Attempt, /) -> float | Awaitable[float]:
        """Count an attempt and return 0; or do not count it, and return the seconds until one may succeed.

        The time is that of the attempt, and may go back: no wait is longer than the cooldown or the rest of the UTC
        day. Raises `CallFailed` if the counters are unavailable; the call is then rejected.
        """
        ...
