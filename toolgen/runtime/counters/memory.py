"""Counters in the memory of one process."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import date

    from toolgen.runtime.counters.protocol import Attempt

_SWEEP_EVERY: Final = 1024
"""Attempts between two looks for what can be forgotten."""


class MemoryCounters:
    """Counts by tool, user and UTC date; forgets what can refuse no call any more."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], tuple[date, int]] = {}
        self._quiet_until: dict[tuple[str, str], datetime] = {}
        self._taken = 0

    def take(self, attempt: Attempt, /) -> float:
        """Count an attempt and give 0; or count nothing, and give the seconds until one may succeed."""
        key, now = (attempt.ident, attempt.user), attempt.at.astimezone(UTC)
        until = self._quiet_until.get(key, now)
        date, count = self._counts.get(key, (now.date(), 0))
        count = count if date == now.date() else 0
        if attempt.daily_limit and count >= attempt.daily_limit:
            until = max(until, datetime.combine(now.date() + timedelta(days=1), time(), UTC))
        if until > now:
            return (until - now).total_seconds()
        self._sweep(now)
        if attempt.daily_limit:
            self._counts[key] = (now.date(), count + 1)
        if attempt.cooldown_seconds:
            self._quiet_until[key] = now + timedelta(seconds=attempt.cooldown_seconds)
        return 0

    def _sweep(self, now: datetime) -> None:
        self._taken += 1
        if self._taken % _SWEEP_EVERY == 0:
            self._counts = {key: entry for key, entry in self._counts.items() if entry[0] == now.date()}
            self._quiet_until = {key: until for key, until in self._quiet_until.items() if until > now}
