"""What counts attempts: one question, asked and answered at once, so that two calls cannot both take the last one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One call of a tool by a user, at an aware time. Limits of 0 are none."""

    ident: str
    user: str
    at: datetime
    cooldown_seconds: float = 0
    daily_limit: int = 0


class Counters(Protocol):
    """Counts attempts, atomically."""

    def take(self, attempt: Attempt, /) -> float | Awaitable[float]:
        """Count an attempt and give 0; or count nothing, and give the seconds until one may succeed."""
        ...
