"""The hot list: the actions that were used most and last, which listings show first."""

from __future__ import annotations

from datetime import UTC, datetime
from heapq import nsmallest
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

_DAY: Final = 86400.0


def _now() -> datetime:
    return datetime.now(UTC)


class HotList:
    """Counts uses, in memory. An action weighs its uses, and up to as many again: the more, the later the last was."""

    def __init__(self, clock: Callable[[], datetime] = _now) -> None:
        self._clock = clock
        self._uses: dict[str, tuple[int, datetime]] = {}

    def note(self, name: str) -> None:
        """Count one use, now."""
        uses, _ = self._uses.get(name, (0, None))
        self._uses[name] = (uses + 1, self._clock())

    def top(self, size: int, seeds: Sequence[str], known: Container[str]) -> tuple[str, ...]:
        """Give up to `size` of the known names, the heaviest first; seeds fill what is left, in their order."""
        now = self._clock()
        used = [name for name in self._uses if name in known]
        hot = nsmallest(size, used, key=lambda name: (-self._weight(name, now), name))
        filling = [seed for seed in dict.fromkeys(seeds) if seed in known and seed not in hot]
        return tuple([*hot, *filling][:size])

    def _weight(self, name: str, now: datetime) -> float:
        uses, last = self._uses[name]
        age_days = max(0.0, (now - last).total_seconds() / _DAY)
        return uses * (1 + 1 / (1 + age_days))
