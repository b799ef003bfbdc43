"""A separate process that makes calls of one limited tool, as `calling.py` does."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.project.checkout import ROOT

if TYPE_CHECKING:
    from contextlib import ExitStack

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Caller:
    """A process with counters at a URI, or in the file of an absolute path."""

    def __init__(self, uri: str, limits: dict[str, float]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.unit.runtime.policy.rate_limits.calling", uri, json.dumps(limits)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def __enter__(self) -> Caller:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._process.communicate()
        assert self._process.returncode == 0

    def is_ready(self) -> bool:
        return self._line() == "ready\n"

    def start(self, calls: int = 1, *, at: float = 0, user: str = "ann") -> None:
        wanted = {"calls": calls, "at": (NOON + timedelta(seconds=at)).isoformat(), "user": user}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(wanted) + "\n")
        self._process.stdin.flush()

    def ends(self) -> list[list[Any]]:
        """Return how the started calls ended: the code and `retry_after` of each."""
        ends: list[list[Any]] = json.loads(self._line())
        return ends

    def call(self, **how: Any) -> list[Any]:
        self.start(**how)
        return self.ends()[0]

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


def ready_callers(stack: ExitStack, uri: str, number: int, **limits: float) -> list[Caller]:
    callers = [stack.enter_context(Caller(uri, limits)) for _ in range(number)]
    assert all(caller.is_ready() for caller in callers)
    return callers
