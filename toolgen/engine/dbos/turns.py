"""Turns: the order in which a queue serves the users who have runs in it, as one number for each run.

The runs of one user have ascending turns. That of a user who has none in the queue is the one served now, so whoever
has a thousand runs in it holds up others by one (start-time fair queueing: Goyal, Vin and Cheng, 1996).
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from toolgen.engine.dbos.database import BY_PROGRAM

LAST: Final = 2**31 - 1
"""The last turn that there is; beyond it runs are served as they come."""


@dataclass(slots=True)
class UserTurns:
    """The turns of one user: `last` is the latest one that was given to a run which may not be in the queue yet."""

    starting: int = 0
    last: int = 0

    def next(self, served: int, queued: int) -> int:
        """Return the turn of one more run: `served` is the first turn in the queue, `queued` the user's last one there.

        Both are 0 if there is none.
        """
        self.last = min(max(served, self.last + 1, queued + 1, BY_PROGRAM), LAST)
        return self.last


class Turns:
    """The turns of users whose runs are being started here."""

    def __init__(self) -> None:
        self._users: Final[dict[str | None, UserTurns]] = {}

    @contextmanager
    def starting(self, user: str | None) -> Generator[UserTurns]:
        """Start a run, as a context: from before the queue is looked at until the run is in it."""
        found = self._users.setdefault(user, UserTurns())
        found.starting += 1
        try:
            yield found
        finally:
            found.starting -= 1
            if not found.starting:
                del self._users[user]
