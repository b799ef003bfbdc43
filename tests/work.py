"""Work: what a function does, however busy the processor is. Tests assert it where a defect would take for ever.

Python's own calls are counted. Of code in C, such as expressions, the time of the processor is compared with that of
less of the same.
"""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

FACTOR: Final = 16
"""How much larger the large input is than the small one."""

_MOST: Final = 5 * FACTOR
"""Linear work takes 16 times as long, quadratic work 256 times."""

_ROUNDS: Final = 3


@contextmanager
def at_most_calls(most: int) -> Generator[None]:
    """Fail as soon as the block has made more calls of functions, so that exponential work ends too."""
    count = 0

    def counted(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")
        if count > most:
            sys.setprofile(None)
            raise AssertionError(f"more than {most:,} calls of functions")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        yield
    finally:
        sys.setprofile(before)


def assert_linear(work: Callable[[int], Callable[[], object]], large: int) -> None:
    """Assert that work takes time in proportion to its size. `work` prepares it for a size."""
    small = min(_timed(work(large // FACTOR)) for _ in range(_ROUNDS))
    most = max(small, 0.001) * _MOST
    fastest = float("inf")
    for _ in range(_ROUNDS):
        fastest = min(fastest, _timed(work(large)))
        if fastest <= most:
            return
    raise AssertionError(f"{FACTOR} times as much takes {fastest / small:.0f} times as long")


def _timed(run: Callable[[], object]) -> float:
    begun = time.process_time()
    run()
    return time.process_time() - begun
