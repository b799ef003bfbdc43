"""A store in an SQLite file: one thread writes, and commits everything that arrived during a write together."""

from __future__ import annotations

import asyncio
import atexit
import os
import sqlite3
from collections import defaultdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, Final

from toolgen.record.run_ends import RunEnds
from toolgen.record.sqlite_file import STORE_FILE
from toolgen.record.sqlite_reader import SqliteReader
from toolgen.record.watched_file import WatchedFile
from toolgen.record.writes import Group, Write
from toolgen.runtime.events.encoding import COUNTED_AS, encode_event, encode_result, format_time
from toolgen.runtime.events.records import Event, NewEvent, RunRecord, RunSummary, StoreError
from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from toolgen.contract.records import ToolResult
    from toolgen.record.chain import ChainKey, Head
    from toolgen.record.run_ends import End

_INSERT_EVENT: Final = "INSERT INTO events (run_id, sequence, body, digest) VALUES (?, ?, ?, ?)"
_INSERT_RESULT: Final = "INSERT INTO results (run_id, sequence, body) VALUES (?, ?, ?)"
_COUNT: Final = """
INSERT INTO runs (run_id, began, last, events, completed, failed, denied) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (run_id) DO UPDATE SET last = max(last, excluded.last), events = events + excluded.events,
  completed = completed + excluded.completed, failed = failed + excluded.failed, denied = denied + excluded.denied
"""

_now: Final = partial(datetime.now, UTC)


class SqliteStore:
    """Stores runs in an SQLite file. Implements `Store`; several processes may have it open.

    With a `key`, which must not be stored next to the file, the events of each run form a chain that reveals tampering.
    A run can only be continued with the same key, and if the end of its record is unchanged; otherwise, and if the file
    was deleted, replaced or truncated, writes raise `StoreError`. `clock` returns the time of events. `follow` looks
    for new events every `poll` seconds. A forked process must open its own store: its writes to this one raise
    `StoreError`.

    Raises `StoreError` if the file cannot be opened, or is not a store.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        key: ChainKey | None = None,
        clock: Callable[[], datetime] = _now,
        poll: float = 0.1,
    ) -> None:
        self._key = key
        self._clock = clock
        self._poll = poll
        self._reader = SqliteReader(path)
        self._connection = STORE_FILE.open_for_writing(Path(path))
        self._file = WatchedFile(Path(path), self._connection)
        self._ends = RunEnds(self._connection, key)
        self._group = Group()
        self._changed = Condition()
        self._closing = False
        self._process = os.getpid()
        self._writer = Thread(target=self._write, name="toolgen store", daemon=True)
        self._writer.start()
        atexit.register(self._drain)

    def append(self, event: NewEvent, /) -> Awaitable[None]:
        """Write an event. Raises ValueError or TypeError if it is not JSON, `StoreError` if closed or forked."""
        return self._enqueue(event, None)

    def finish(self, event: NewEvent, result: ToolResult[Any], /) -> Awaitable[None]:
        """Write a final result and its event, both or neither. Raises as `append` does."""
        return self._enqueue(event, encode_result(result, event.secrets))

    async def read(self, run_id: str, /) -> RunRecord:
        """Read one run. Raises `RunNotFound`, and `StoreError`."""
        return await asyncio.to_thread(self._reader.read, run_id)

    async def runs(self) -> tuple[RunSummary, ...]:
        """List all runs, the one with the latest event last. Raises `StoreError`."""
        return await asyncio.to_thread(self._reader.runs)

    async def head(self, run_id: str, /) -> Head:
        """Return the head of a run's chain, to be stored elsewhere.

        Raises `RunNotFound`, `ChainError`, `StoreError`.
        """
        return await asyncio.to_thread(self._reader.head, run_id)

    async def follow(self, run_id: str, /, after: int = -1) -> AsyncIterator[Event]:
        """Return the events of a run after a number, including future ones, endlessly."""
        while True:
            for event in await asyncio.to_thread(self._reader.events, run_id, after):
                yield event
                after = event.sequence
            await asyncio.sleep(self._poll)

    async def close(self) -> None:
        """Write what is pending, and close the file."""
        await asyncio.to_thread(self._drain)

    def _enqueue(self, event: NewEvent, result: bytes | None) -> Write:
        if self._process != os.getpid():  # the writer thread, and any lock that it holds, stayed in the parent
            raise StoreError("the store was opened before this process was forked; open a store in the forked process")
        event.run_id.encode()  # raises here instead of in the writer, where it would fail other writes
        at = self._clock()
        body = encode_event(event, at, result)
        with self._changed:
            if self._closing:
                raise StoreError("the store is closed")
            write = Write(event.run_id, event.kind, format_time(at), body, result, self._group)
            self._group.writes.append(write)
            self._changed.notify()
        return write

    def _drain(self) -> None:
        """Write everything pending; also called at the exit of the process.

        In a forked process there is nothing to write, and the connection belongs to the parent.
        """
        if self._process != os.getpid():
            return
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._writer.join()
        atexit.unregister(self._drain)

    def _write(self) -> None:
        """Write in the writer thread, until the store is closed."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._group.writes or self._closing)
                group, self._group = self._group, Group()
            if not group.writes:
                break
            try:
                self._commit(group)
            except Exception as error:  # noqa: BLE001  # reported to all waiting writers
                self._give_up(group, error)
            group.settle()
        self._connection.close()
        self._file.close()

    def _commit(self, group: Group) -> None:
        runs: dict[str, list[Write]] = defaultdict(list)
        for write in group.writes:
            runs[write.run_id].append(write)
        self._file.check()
        self._connection.execute("BEGIN IMMEDIATE")
        ends = {run_id: self._write_run(run_id, writes) for run_id, writes in runs.items()}
        self._connection.execute("COMMIT")
        self._ends.remember(ends)

    def _write_run(self, run_id: str, writes: list[Write]) -> End | None:
        """Write the events of one run, continuing its chain; return its new end, or None if the writes were refused."""
        try:
            sequence, digest = self._ends.find(run_id)
        except StoreError as refusal:
            for write in writes:
                write.error = refusal
            warn("%d writes were refused: %s", len(writes), refusal)
            return None
        for write in writes:
            sequence += 1
            digest = self._key.next(digest, write.body) if self._key and digest is not None else None
            self._connection.execute(_INSERT_EVENT, (run_id, sequence, write.body, digest))
            if write.result is not None:
                self._connection.execute(_INSERT_RESULT, (run_id, sequence, write.result))
        ends = [COUNTED_AS.get(write.kind, "failed") for write in writes if write.result is not None]
        counts = (ends.count("completed"), ends.count("failed"), ends.count("denied"))
        last = writes[0].at if len(writes) == 1 else max(write.at for write in writes)
        self._connection.execute(_COUNT, (run_id, writes[0].at, last, len(writes), *counts))
        return sequence, digest

    def _give_up(self, group: Group, error: Exception) -> None:
        warn("%d writes were lost: %s", len(group.writes), error)
        failure = StoreError(f"the store cannot be written: {error}")
        failure.__cause__ = error
        group.fail(failure)
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error as again:
            warn("the transaction cannot be rolled back: %s", again)
