"""What every store does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable

    from toolgen.contract.records import ToolResult
    from toolgen.runtime.events.records import Event, NewEvent, RunRecord, RunSummary


class Store(Protocol):
    """Keeps the events and results of runs.

    Secrets are redacted on the way in: by name, by format, and as the event's `secrets` declare. Writes of one run keep
    the order they were asked for in. A write gives something to await where it takes time: awaited, it has been made
    durable, or raises `StoreError`; it happens whether or not anybody waits. What is no JSON raises ValueError or
    TypeError at once.
    """

    def append(self, event: NewEvent, /) -> Awaitable[None] | None:
        """Write an event."""
        ...

    def finish(self, event: NewEvent, result: ToolResult[Any], /) -> Awaitable[None] | None:
        """Write the final result of a call and the event that says so, in one transaction: both, or neither."""
        ...

    async def read(self, run_id: str, /) -> RunRecord:
        """Read one run. Raises `RunNotFound`, and `StoreError`."""
        ...

    async def runs(self) -> tuple[RunSummary, ...]:
        """List all runs, the one with the latest event last. Raises `StoreError`."""
        ...

    def follow(self, run_id: str, /, after: int = -1) -> AsyncIterator[Event]:
        """Return the events of a run after a number, those to come included, without end. The run may yet have none."""
        ...

    async def close(self) -> None:
        """Write what is still waiting, and let go. A closed store takes no more writes."""
        ...
