"""Workers: limits the number of concurrent workers in one process."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping


class WorkerPool:
    """A fixed number of workers, named `worker-1` and so on. For one event loop."""

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError(f"a pool needs at least one worker, not {size}")
        self._free: Final = {f"worker-{number}": True for number in range(1, size + 1)}

    @property
    def free(self) -> Mapping[str, bool]:
        """Every worker, and whether it is free."""
        return dict(self._free)

    @contextmanager
    def taken(self) -> Generator[str]:
        """Take a worker within the context. Raises `CallFailed` if none is free."""
        worker = next((worker for worker, is_free in self._free.items() if is_free), None)
        if worker is None:
            message = f"all {len(self._free)} workers are busy"
            raise CallFailed(
                FailureKind.UNAVAILABLE, "child_agent_limit_exceeded", message, "wait until one has finished its step"
            )
        self._free[worker] = False
        try:
            yield worker
        finally:
            self._free[worker] = True
