"""Steps of the event loop: how long the longest one kept its thread busy, so that nothing else in the loop ran.

Time is that of the processor, which does not grow when other programs are busy.
"""

from __future__ import annotations

import asyncio.events
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Steps:
    """How many steps were taken, and the seconds of the longest."""

    count: int = 0
    longest: float = 0.0


@contextmanager
def watched_steps() -> Iterator[Steps]:
    """Watch the steps that event loops take in this block."""
    steps = Steps()
    run: Any = asyncio.events.Handle._run

    def timed(handle: Any) -> None:
        started = time.thread_time()
        run(handle)
        taken = time.thread_time() - started
        steps.count += 1
        if taken > steps.longest:
            steps.longest = taken

    with patch.object(asyncio.events.Handle, "_run", timed):
        yield steps
