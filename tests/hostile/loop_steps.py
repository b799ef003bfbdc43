"""Steps of the event loop: how long the longest one kept its thread busy, so that nothing else in the loop ran.

Time is that of the processor, in which other programs are not counted. It is told in units of a piece of work that is
done before and after, since the same machine is four times as fast at one hour as at another.
"""

from __future__ import annotations

import asyncio.events
import gc
import json
import statistics
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

if TYPE_CHECKING:
    from collections.abc import Iterator


_WORK = json.dumps([{"key": str(each), "value": [each, None]} for each in range(30_000)])


@dataclass
class Steps:
    """How many steps were taken, and the longest, in units of work. It is told after the block."""

    count: int = 0
    longest: float = 0.0


def _unit_of_work() -> float:
    started = time.thread_time()
    json.loads(_WORK)
    return time.thread_time() - started


@contextmanager
def watched_steps() -> Iterator[Steps]:
    """Watch the steps that event loops take in this block.

    What earlier tests left is set aside before: to look through all of it for garbage takes a second of some step.
    """
    gc.collect()
    gc.freeze()
    steps = Steps()
    units = [_unit_of_work() for _ in range(3)]
    longest = 0.0
    run: Any = asyncio.events.Handle._run

    def timed(handle: Any) -> None:
        nonlocal longest
        started = time.thread_time()
        run(handle)
        longest = max(longest, time.thread_time() - started)
        steps.count += 1

    with patch.object(asyncio.events.Handle, "_run", timed):
        yield steps
    units += [_unit_of_work() for _ in range(3)]
    steps.longest = longest / statistics.median(units)
