"""Workers: how many steps are worked on at the same time, in one process."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping


class WorkerPool:
    """So many places for workers, named `worker-1` and so on. One loop uses it."""

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError(f"a pool of {size} workers can do no work")
        self._free: Final = {f"worker-{number}": True for number in range(1, size + 1)}

    @property
    def free(self) -> Mapping[str, bool]:
        """Every worker, and whether it is free."""
        return dict(self._free)

    @contextmanager
    def taken(self) -> Generator[str]:
        """Take a worker for as long as the block runs. Raises `CallFailed` where none is free."""
        worker = next((worker for worker, is_free in self._free.items() if is_free), None)
        if worker is None:
            message = f"all {len(self._free)} workers are busy"
            raise CallFailed(
                FailureKind.UNAVAILABLE, "child_agent_limit_exceeded", message, "wait until one has ended its step"
            )
        self._free[worker] = False
        try:
            yield worker
        finally:
            self._free[worker] = True
