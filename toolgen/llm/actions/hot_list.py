"""The hot list: the most frequently and most recently used actions, which listings show first."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from datetime import UTC, datetime
from heapq import nsmallest
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta

_DAY: Final = 86400.0

_NAMES: Final = 200
"""Maximum number of actions counted per owner; the one with the least weight is dropped for a new one."""

_OWNERS: Final = 1000
"""Maximum number of owners; the least recently active is dropped first."""


def _now() -> datetime:
    return datetime.now(UTC)


def owner_of(meta: ToolCallMeta) -> str:
    """Return the owner of uses: the user, or else the session, or else the run."""
    if meta.user is not None:
        return f"user {meta.user}"
    return f"session {meta.session_id}" if meta.session_id is not None else f"run {meta.run_id}"


class HotList:
    """Counts uses per owner, in memory.

    The weight of an action is its number of uses, plus up to the same again, depending on how recent the last was.
    Owners do not affect each other. At most 200 actions of 1,000 owners are kept.
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
        """Return up to `size` of the known names, those with the most weight first; seeds fill the rest, in order."""
        now = self._clock()
        uses = self._uses.get(owner, {})
        used = [name for name in uses if name in known]
        hot = nsmallest(size, used, key=lambda name: (-_weight(*uses[name], now), name))
        filling = [seed for seed in dict.fromkeys(seeds) if seed in known and seed not in hot]
        return tuple([*hot, *filling][:size])


def _weight(uses: int, last: datetime, now: datetime) -> float:
    age_days = max(0.0, (now - last).total_seconds() / _DAY)
    return uses * (1 + 1 / (1 + age_days))
