"""Counters in the memory of one process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.policy.rate_limits.protocol import KEPT_LONGER

if TYPE_CHECKING:
    from datetime import date, datetime, timedelta

    from toolgen.runtime.policy.rate_limits.protocol import Attempt

_SWEEP_EVERY: Final = 1024
"""Number of attempts between two cleanups."""


class MemoryCounters:
    """Counts by tool, user and UTC date; drops entries that can no longer limit a call.

    A cooldown with a start time in the future, from a clock that was ahead, restarts at the next attempt, so it never
    lasts longer than the rule says.
    """

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, date], int] = {}
        self._passed: dict[tuple[str, str], tuple[datetime, timedelta]] = {}
        self._taken = 0
        self._latest: datetime | None = None

    def take(self, attempt: Attempt, /) -> float:
        """Count an attempt and return 0; or do not count it, and return the seconds until one may succeed."""
        ident, user, _at, cooldown, limit = attempt
        now = attempt.now
        key, today = (ident, user), (ident, user, now.date())
        until = now
        count = self._counts.get(today, 0) if limit else 0
        if limit and count >= limit:
            until = attempt.midnight
        if cooldown and self._passed:
            until = max(until, self._quiet_until(key, attempt))
        if until > now:
            return (until - now).total_seconds()
        self._sweep(now)
        if limit:
            self._counts[today] = count + 1
        if cooldown:
            self._passed[key] = (now, attempt.cooldown)
        return 0

    def _quiet_until(self, key: tuple[str, str], attempt: Attempt) -> datetime:
        """When the cooldown of the last counted attempt ends; a start in the future counts as now."""
        last = self._passed.get(key)
        if last is None:
            return attempt.now
        passed, cooldown = last
        if passed > attempt.now:
            passed = attempt.now
            self._passed[key] = (passed, cooldown)
        return passed + attempt.cooldown

    def _sweep(self, now: datetime) -> None:
        """Drop entries of other days, immediately if the clock was set back; and expired cooldowns, periodically."""
        self._taken += 1
        was_set_back = self._latest is not None and now < self._latest - KEPT_LONGER
        if self._latest is None or was_set_back or now > self._latest:
            self._latest = now
        is_due = self._taken % _SWEEP_EVERY == 0
        if was_set_back or is_due:
            days = {(now - KEPT_LONGER).date(), now.date(), (now + KEPT_LONGER).date()}
            self._counts = {key: count for key, count in self._counts.items() if key[2] in days}
        if is_due:
            self._passed = {
                key: (passed, cooldown)
                for key, (passed, cooldown) in self._passed.items()
                if now - cooldown - KEPT_LONGER < passed < now + KEPT_LONGER
            }
