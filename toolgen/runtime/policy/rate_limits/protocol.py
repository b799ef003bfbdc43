"""What counts attempts: one question, asked and answered at once, so that two calls cannot both take the last one."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable

KEPT_LONGER: Final = timedelta(hours=1)
"""How long counters remember what can refuse nothing any more: clocks differ, and are set back."""

_LONGEST_SECONDS: Final = 100 * 366 * 86_400
"""Seconds that the longest cooldown lasts: what a spec asks beyond that would be no date, or no number of Redis."""


class Attempt(NamedTuple):
    """One call of a tool by a user, at an aware time. Limits of 0 are none."""

    ident: str
    user: str
    at: datetime
    cooldown_seconds: float = 0
    daily_limit: int = 0

    @property
    def now(self) -> datetime:
        """When it is made, in UTC."""
        return self.at if self.at.tzinfo is UTC else self.at.astimezone(UTC)

    @property
    def midnight(self) -> datetime:
        """When its UTC day ends."""
        return datetime.combine(self.now.date() + timedelta(days=1), time(), UTC)

    @property
    def cooldown(self) -> timedelta:
        """How long no other may pass, if it passes: at most a hundred years."""
        return timedelta(seconds=min(self.cooldown_seconds, _LONGEST_SECONDS))


class Counters(Protocol):
    """Counts attempts, atomically, by tool, user and UTC date."""

    def take(self, attempt: Attempt, /) -> float | Awaitable[float]:
        """Count an attempt and give 0; or count nothing, and give the seconds until one may succeed.

        The time is that of the attempt, and may go back: no wait is longer than the cooldown, or than the rest of the
        UTC day. Raises `CallFailed` where it cannot tell; the call is refused then.
        """
        ...
