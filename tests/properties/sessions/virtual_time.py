"""An event loop with virtual time, which advances at once whenever nothing is left but to wait."""

from __future__ import annotations

import asyncio
import selectors
from typing import Any


class _Waits(selectors.SelectSelector):
    """Counts the seconds of each timeout, without waiting."""

    seconds = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(None if timeout is None else 0)
        if not found and timeout is not None and timeout > 0:
            self.seconds += timeout
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """Made for `asyncio.Runner(loop_factory=VirtualLoop)`. Unusable with threads, which take real time."""

    def __init__(self) -> None:
        self._waits = _Waits()
        super().__init__(self._waits)

    def time(self) -> float:
        """Return the virtual seconds waited so far."""
        return self._waits.seconds


def run(main: Any) -> Any:
    """Run a coroutine in a new loop."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
