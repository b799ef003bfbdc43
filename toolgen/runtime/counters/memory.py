"""Counters in the memory of one process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.counters.protocol import KEPT_LONGER

if TYPE_CHECKING:
    from datetime import date, datetime

    from toolgen.runtime.counters.protocol import Attempt

_SWEEP_EVERY: Final = 1024
"""Attempts between two looks for what can be forgotten."""


class MemoryCounters:
    """Counts by tool, user and UTC date; forgets what can refuse no call any more."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, date], int] = {}
        self._quiet_until: dict[tuple[str, str], datetime] = {}
        self._taken = 0

    def take(self, attempt: Attempt, /) -> float:
        """Count an attempt and give 0; or count nothing, and give the seconds until one may succeed."""
        ident, user, _at, cooldown, limit = attempt
        now = attempt.now
        key, today = (ident, user), (ident, user, now.date())
        until = now
        count = self._counts.get(today, 0) if limit else 0
        if limit and count >= limit:
            until = attempt.midnight
        if self._quiet_until:
            until = max(until, self._quiet_until.get(key, now))
        if until > now:
            return (until - now).total_seconds()
        self._sweep(now)
        if limit:
            self._counts[today] = count + 1
        if cooldown:
            self._quiet_until[key] = attempt.quiet_until
        return 0

    def _sweep(self, now: datetime) -> None:
        self._taken += 1
        if self._taken % _SWEEP_EVERY == 0:
            past = now - KEPT_LONGER
            self._counts = {key: count for key, count in self._counts.items() if key[2] >= past.date()}
            self._quiet_until = {key: until for key, until in self._quiet_until.items() if until > past}
