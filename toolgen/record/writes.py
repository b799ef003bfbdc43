"""Pending writes of a store: groups that are committed together, and the tasks that wait for them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

    from toolgen.runtime.events.records import StoreError


@dataclass(slots=True, eq=False)
class Write:
    """One event with its result, as bytes. Awaiting it completes when it is durable, or raises the error."""

    run_id: str
    kind: str
    at: str
    body: bytes
    result: bytes | None
    group: Group
    error: StoreError | None = None

    def __await__(self) -> Generator[asyncio.Future[None], None, None]:
        """Wait for the group. Raises `StoreError`. Waiting can be cancelled; the write cannot."""
        done = self.group.waiting()
        if done is not None:
            yield from done
        if self.error is not None:
            raise self.error


@dataclass(slots=True, eq=False)
class Group:
    """Writes that are committed in one transaction."""

    writes: list[Write] = field(default_factory=list[Write])
    _lock: Lock = field(default_factory=Lock)
    _settled: bool = False
    _waiting: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = field(
        default_factory=dict[asyncio.AbstractEventLoop, list["asyncio.Future[None]"]]
    )

    def waiting(self) -> asyncio.Future[None] | None:
        """Return a future that completes when the group is settled; None if it is."""
        with self._lock:
            if self._settled:
                return None
            loop = asyncio.get_running_loop()
            done = loop.create_future()
            self._waiting.setdefault(loop, []).append(done)
            return done

    def fail(self, error: StoreError) -> None:
        """Mark all writes of the group as failed."""
        for write in self.writes:
            write.error = error

    def settle(self) -> None:
        """Wake all waiting tasks, each in its event loop."""
        with self._lock:
            self._settled = True
        for loop, futures in self._waiting.items():
            if not loop.is_closed():  # the tasks of a closed loop are gone
                loop.call_soon_threadsafe(_wake, futures)


def _wake(futures: list[asyncio.Future[None]]) -> None:
    for future in futures:
        if not future.done():  # its task may have been cancelled
            future.set_result(None)
