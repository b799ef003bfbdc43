"""What the writers of stores share: pending writes, the thread that commits them, and the ends of runs."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from hmac import compare_digest
from threading import Condition, Lock, Thread
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from toolgen.runtime.base.processes import at_exit, not_at_exit
from toolgen.runtime.events.encoding import COUNTED_AS, decode_event, encode_event, format_time
from toolgen.runtime.events.records import EventKind, NewEvent, StoreError, repeats_end
from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    from datetime import datetime

    from toolgen.record.chain import ChainKey


# The ends of runs' records, which a writer continues from, and whether they are unchanged.

End: TypeAlias = "tuple[int, bytes | None]"
"""The number of the last event of a run, and its digest; None without a key."""

_REMEMBERED: Final = 10_000
"""Number of runs whose ends are remembered, the most recent. The end of another run is only checked with its key."""

_LARGEST: Final = 2**62


class StoredEnd(Protocol):
    """The last events of one run, as stored, untrusted: a column may have a value of any type."""

    def last(self) -> tuple[Any, Any] | None:
        """Return the number and the digest of the last event; None for a run without events."""
        ...

    def digests_at(self, sequence: int) -> list[bytes | None]:
        """Return the digest of an event, in a list that is empty if there is no such event."""
        ...

    def last_two(self) -> list[tuple[bytes, bytes | None]]:
        """Return the text and the digest of the last event, then of the one before it."""
        ...


class RunEnds:
    """The ends of runs, as written by one writer. Another process may have continued a run."""

    def __init__(self, key: ChainKey | None) -> None:
        self._key = key
        self._known: dict[str, End] = {}

    def find(self, run_id: str, stored: StoredEnd) -> End:
        """Return the end of a run that is stored; -1 and the initial digest for a new run.

        Raises `StoreError` if the run must not be continued.
        """
        last = stored.last()
        known = self._known.get(run_id)
        if last is None:
            if known is not None:
                raise StoreError("the record of the run was removed while the run continued")
            return -1, self._key.first(run_id) if self._key else None
        sequence, digest = last
        if last == known:
            return sequence, digest
        if not isinstance(sequence, int) or not -1 < sequence < _LARGEST:
            raise StoreError("the record of the run was tampered with: it has a row that stores do not write")
        if (digest is None) != (self._key is None):
            begun = "without a key" if digest is None else "with a key"
            raise StoreError(f"the run was started {begun}, and must be continued the same way")
        if known is not None and stored.digests_at(known[0]) != [known[1]]:
            raise StoreError("the end of the record of the run was truncated or edited while the run continued")
        if self._key is not None and not _follows(run_id, stored, self._key):
            raise StoreError("the run was started with another key, or the end of its record was edited")
        return sequence, digest

    def known_number(self, run_id: str) -> int:
        """Return the number of the last event of a run that this writer wrote, as far as remembered; otherwise -1."""
        return self._known.get(run_id, (-1, None))[0]

    def remember(self, ends: Mapping[str, End | None]) -> None:
        """Remember the new ends of runs, when they are durable."""
        for run_id, end in ends.items():
            if end is not None:
                self._known.pop(run_id, None)
                self._known[run_id] = end
        while len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]


def _follows(run_id: str, stored: StoredEnd, key: ChainKey) -> bool:
    """Whether the last event is valid after the one before it, with this key."""
    (body, digest), *earlier = stored.last_two()
    before: bytes | None = earlier[0][1] if earlier else key.first(run_id)
    return before is not None and digest is not None and compare_digest(key.next(before, body), digest)


# Pending writes of a store: groups that are committed together, and the tasks that wait for them.


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
            with suppress(RuntimeError):  # the loop was closed, and its tasks are gone
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


def repeats(write: Write, before: Iterable[bytes]) -> bool:
    """Whether a write is an end that is on record: see `repeats_end`. `before` are the events so far, the last first.

    A damaged record has not ended: whoever verifies it finds the damage.
    """
    if write.kind != EventKind.RUN_ENDED:
        return False
    try:
        decode = partial(decode_event, write.run_id, -1)
        return repeats_end(decode(write.body), map(decode, before))
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


def ended_counts(writes: list[Write]) -> tuple[str, str, int, int, int, int]:
    """Return what writes of a run add to the list of runs: the fields of `Listed`."""
    ends = [COUNTED_AS.get(write.kind, "failed") for write in writes if write.result is not None]
    last = writes[0].at if len(writes) == 1 else max(write.at for write in writes)
    counts = (ends.count("completed"), ends.count("failed"), ends.count("denied"))
    return (writes[0].at, last, len(writes), *counts)


# The queue of a store: one thread commits everything that arrived during the last commit together.


class WriteQueue:
    """Takes writes from any thread and event loop, in order; `commit` and `close` are called in the queue's thread.

    `commit` writes a group or raises, and may set the errors of single writes. A forked process must not use the queue:
    the thread, and any lock that it holds, stayed in the parent.
    """

    def __init__(self, commit: Callable[[Group], None], close: Callable[[], None]) -> None:
        self._commit = commit
        self._close = close
        self._group = Group()
        self._changed = Condition()
        self._closing = False
        self._process = os.getpid()
        self._writer = Thread(target=self._write, name="toolgen store", daemon=True)
        self._writer.start()
        at_exit(self.drain)

    def put(self, event: NewEvent, at: datetime, result: bytes | None) -> Write:
        """Add an event with its time and the text of its result.

        Raises ValueError or TypeError if it is not JSON, and `StoreError` if the queue is closed or the process forked.
        """
        if self._is_forked:
            raise StoreError("the store was opened before this process was forked; open a store in the forked process")
        event.run_id.encode()  # raises here instead of in the writer, where it would fail other writes
        body = encode_event(event, at, result)
        with self._changed:
            if self._closing:
                raise StoreError("the store is closed")
            write = Write(event.run_id, event.kind, format_time(at), body, result, self._group)
            self._group.writes.append(write)
            self._changed.notify()
        return write

    async def close(self) -> None:
        """Commit everything pending, and accept no more."""
        await asyncio.to_thread(self.drain)

    def drain(self) -> None:
        """Do as `close` does, in this thread; also called at the exit of the process.

        In a forked process there is nothing to write, and the connection belongs to the parent.
        """
        if self._is_forked:
            return
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._writer.join()
        not_at_exit(self.drain)

    @property
    def _is_forked(self) -> bool:
        """Whether the thread, and any lock that it holds, stayed in another process; uWSGI calls no hooks of forks."""
        return self._process != os.getpid()

    def _write(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._group.writes or self._closing)
                group, self._group = self._group, Group()
            if not group.writes:
                break
            try:
                self._commit(group)
            except Exception as error:  # noqa: BLE001  # reported to all waiting writers
                warn("%d writes were lost: %s", len(group.writes), error)
                group.fail(_failure(error))
            group.settle()
        self._close()


def _failure(error: Exception) -> StoreError:
    failure = StoreError(f"the store cannot be written: {error}")
    failure.__cause__ = error
    return failure
