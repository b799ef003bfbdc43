"""Pending writes of a store: groups that are committed together, and the tasks that wait for them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from toolgen.runtime.events.encoding import COUNTED_AS
from toolgen.runtime.redact.warning import warn

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

    def by_run(self) -> dict[str, list[Write]]:
        """Return the writes of each run, in order."""
        runs: defaultdict[str, list[Write]] = defaultdict(list)
        for write in self.writes:
            runs[write.run_id].append(write)
        return runs

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


def refuse(writes: list[Write], refusal: StoreError) -> None:
    """Mark writes of a run that must not be continued as failed."""
    for write in writes:
        write.error = refusal
    warn("%d writes were refused: %s", len(writes), refusal)


def ended_counts(writes: list[Write]) -> tuple[str, str, int, int, int, int]:
    """Return what writes of a run add to the list of runs: the fields of `Listed`."""
    ends = [COUNTED_AS.get(write.kind, "failed") for write in writes if write.result is not None]
    last = writes[0].at if len(writes) == 1 else max(write.at for write in writes)
    counts = (ends.count("completed"), ends.count("failed"), ends.count("denied"))
    return (writes[0].at, last, len(writes), *counts)
