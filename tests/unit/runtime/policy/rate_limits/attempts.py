"""Attempts for tests: the arguments of `Counters.take`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime


class Attempt(NamedTuple):
    """One call of a tool by a user. A limit of 0 means none. `call` is that of a durable run."""

    ident: str
    user: str
    at: datetime
    cooldown_seconds: float = 0
    daily_limit: int = 0
    call: str = ""
