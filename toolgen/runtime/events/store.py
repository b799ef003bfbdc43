"""The protocol of stores."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.runtime.events.records import Event, NewEvent, RunRecord, RunSummary


# Artifacts: results that are too large to be shown, stored elsewhere under a ref.


class ArtifactStore(Protocol):
    """Stores bytes. Its methods block, and are called in a thread."""

    def put(self, data: bytes, media_type: str, /) -> str:
        """Store bytes and return their ref; equal bytes have the same ref. Raises `ArtifactError`."""
        ...


class Store(Protocol):
    """Stores the events and results of runs.

    Secrets are redacted before they are stored: by name, by format, and by the event's `secrets`. Writes of one run
    keep their order. A write that takes time returns an awaitable, which completes when it is durable, or raises
    `StoreError`; the write happens even if it is not awaited. Data that is not JSON raises ValueError or TypeError
    immediately.
    """

    def append(self, event: NewEvent, /) -> Awaitable[None] | None:
        """Write an event. The end of a run is not written if it is on record: see `repeats_end`.

        Whether it is must be decided where it is written, such as in the same transaction: two processes may record the
        end of one run at the same time.
        """
        ...

    def finish(self, event: NewEvent, result: ToolResult[Any], /) -> Awaitable[None] | None:
        """Write the final result of a call and its event in one transaction: both, or neither."""
        ...

    async def read(self, run_id: str, /) -> RunRecord:
        """Read one run. Raises `RunNotFound`, and `StoreError`."""
        ...

    async def runs(self) -> tuple[RunSummary, ...]:
        """List all runs, the one with the latest event last. Raises `StoreError`."""
        ...

    def follow(self, run_id: str, /, after: int = -1) -> AsyncIterator[Event]:
        """Return the events of a run after a number, including future ones, endlessly. The run may have none yet."""
        ...

    async def close(self) -> None:
        """Write what is pending, and release resources. A closed store accepts no writes."""
        ...
