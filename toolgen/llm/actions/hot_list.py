"""The hot list: the actions that were used most and last, which listings show first."""

from __future__ import annotations

from datetime import UTC, datetime
from heapq import nsmallest
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from toolgen.contract.records import ToolCallMeta

_DAY: Final = 86400.0

_NAMES: Final = 200
"""Actions that are counted for one owner; the lightest is forgotten for a new one."""

_OWNERS: Final = 1000
"""Users and sessions whose uses are counted; who used nothing for the longest time is forgotten first."""


def _now() -> datetime:
    return datetime.now(UTC)


def owner_of(meta: ToolCallMeta) -> str:
    """In whose name uses count: the user, where there is none the session, and else the run alone."""
    if meta.user is not None:
        return f"user {meta.user}"
    return f"session {meta.session_id}" if meta.session_id is not None else f"run {meta.run_id}"


class HotList:
    """Counts uses of each owner, in memory.

    An action weighs its uses, and up to as many again: the more, the later the last was. What one owner did shows
    nowhere in the list of another. At most 200 actions of 1,000 owners are kept.
    """

    def __init__(self, clock: Callable[[], datetime] = _now) -> None:
        self._clock = clock
        self._uses: dict[str, dict[str, tuple[int, datetime]]] = {}

    def note(self, name: str, owner: str) -> None:
        """Count one use of an action, now."""
        now = self._clock()
        uses = self._uses.pop(owner, {})
        count, _ = uses.get(name, (0, None))
        if not count and len(uses) >= _NAMES:
            del uses[min(uses, key=lambda each: (_weight(*uses[each], now), each))]
        uses[name] = (count + 1, now)
        self._uses[owner] = uses
        if len(self._uses) > _OWNERS:
            del self._uses[next(iter(self._uses))]

    def top(self, size: int, seeds: Sequence[str], known: Container[str], owner: str) -> tuple[str, ...]:
        """Return up to `size` of the known names, the heaviest of an owner first; seeds fill what is left, in order."""
        now = self._clock()
        uses = self._uses.get(owner, {})
        used = [name for name in uses if name in known]
        hot = nsmallest(size, used, key=lambda name: (-_weight(*uses[name], now), name))
        filling = [seed for seed in dict.fromkeys(seeds) if seed in known and seed not in hot]
        return tuple([*hot, *filling][:size])


def _weight(uses: int, last: datetime, now: datetime) -> float:
    age_days = max(0.0, (now - last).total_seconds() / _DAY)
    return uses * (1 + 1 / (1 + age_days))
