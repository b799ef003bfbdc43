"""Timings: what a build took, by stage. A clock is called with the name of each stage when it begins."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field


@dataclass
class StageClock:
    """Takes the seconds of stages. `stages` are those that have ended, in the order of their first begin."""

    stages: dict[str, float] = field(default_factory=dict[str, float])
    _current: str = ""
    _since: float = 0.0

    def __call__(self, stage: str) -> None:
        """Begin a stage; the one before ends."""
        now = time.perf_counter()
        if self._current:
            self.stages[self._current] = self.stages.get(self._current, 0.0) + now - self._since
        self._current, self._since = stage, now

    def stop(self) -> None:
        """End the last stage."""
        self("")


def peak_memory() -> int | None:
    """Return the most memory in bytes that this process has held at once; None where the system does not tell."""
    if sys.platform == "win32":
        return None
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
