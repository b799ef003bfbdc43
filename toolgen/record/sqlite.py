"""A store in an SQLite file: one thread writes, and commits everything that arrived during a write together."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolgen.record.sqlite_reader import STORE_FILE, SqliteReader, WatchedFile
from toolgen.record.writing import RunEnds, WriteQueue, ended_counts, refuse, repeats
from toolgen.runtime.events.encoding import encode_result
from toolgen.runtime.events.records import Event, NewEvent, RunRecord, RunSummary, StoreError
from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.record.chain import ChainHead, ChainKey
    from toolgen.record.writing import End, Group, Write

_INSERT_EVENT: Final = "INSERT INTO events (run_id, sequence, body, digest) VALUES (?, ?, ?, ?)"
_INSERT_RESULT: Final = "INSERT INTO results (run_id, sequence, body) VALUES (?, ?, ?)"
_COUNT: Final = """
INSERT INTO runs (run_id, began, last, events, completed, failed, denied) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (run_id) DO UPDATE SET last = max(last, excluded.last), events = events + excluded.events,
  completed = completed + excluded.completed, failed = failed + excluded.failed, denied = denied + excluded.denied
"""

_LAST: Final = "SELECT sequence, digest FROM events WHERE run_id = ? ORDER BY sequence DESC LIMIT 1"
_LAST_TWO: Final = """
SELECT CAST(body AS BLOB), CAST(digest AS BLOB) FROM events WHERE run_id = ? ORDER BY sequence DESC LIMIT 2
"""
_BEFORE: Final = "SELECT CAST(body AS BLOB) FROM events WHERE run_id = ? ORDER BY sequence DESC"
_DIGEST: Final = "SELECT CAST(digest AS BLOB) FROM events WHERE run_id = ? AND sequence = ?"

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
        self._ends = RunEnds(key)
        self._queue = WriteQueue(self._commit, self._release)

    def append(self, event: NewEvent, /) -> Awaitable[None]:
        """Write an event; the end of a run once. Raises ValueError, TypeError, and `StoreError` if closed or forked."""
        return self._queue.put(event, self._clock(), None)

    def finish(self, event: NewEvent, result: ToolResult[Any], /) -> Awaitable[None]:
        """Write a final result and its event, both or neither. Raises as `append` does."""
        return self._queue.put(event, self._clock(), encode_result(result, event.secrets))

    async def read(self, run_id: str, /) -> RunRecord:
        """Read one run. Raises `RunNotFound`, and `StoreError`."""
        return await asyncio.to_thread(self._reader.read, run_id)

    async def runs(self) -> tuple[RunSummary, ...]:
        """List all runs, the one with the latest event last. Raises `StoreError`."""
        return await asyncio.to_thread(self._reader.runs)

    async def head(self, run_id: str, /) -> ChainHead:
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
        await self._queue.close()

    def _commit(self, group: Group) -> None:
        self._file.check()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            ends = {run_id: self._write_run(run_id, writes) for run_id, writes in group.by_run().items()}
            self._connection.execute("COMMIT")
        except Exception:  # whatever fails, the transaction is rolled back; raised again
            self._roll_back()
            raise
        self._ends.remember(ends)

    def _write_run(self, run_id: str, writes: list[Write]) -> End | None:
        """Write the events of one run, continuing its chain; return its new end, or None if the writes were refused."""
        try:
            sequence, digest = self._ends.find(run_id, _Stored(self._connection, run_id))
        except StoreError as refusal:
            refuse(writes, refusal)
            return None
        written: list[Write] = []
        for write in writes:
            if repeats(write, self._before(run_id)):
                continue
            written.append(write)
            sequence += 1
            digest = self._key.next(digest, write.body) if self._key and digest is not None else None
            self._connection.execute(_INSERT_EVENT, (run_id, sequence, write.body, digest))
            if write.result is not None:
                self._connection.execute(_INSERT_RESULT, (run_id, sequence, write.result))
        if written:
            self._connection.execute(_COUNT, (run_id, *ended_counts(written)))
        return sequence, digest

    def _before(self, run_id: str) -> Iterator[bytes]:
        """Yield the events of a run, the last first."""
        return (bytes(body) for (body,) in self._connection.execute(_BEFORE, (run_id,)))

    def _roll_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            warn("the transaction cannot be rolled back: %s", error)

    def _release(self) -> None:
        self._connection.close()
        self._file.close()


class _Stored:
    """The last events of one run in a file. Implements `StoredEnd`."""

    def __init__(self, connection: sqlite3.Connection, run_id: str) -> None:
        self._connection = connection
        self._run_id = run_id

    def last(self) -> tuple[Any, Any] | None:
        row: tuple[Any, Any] | None = self._connection.execute(_LAST, (self._run_id,)).fetchone()
        return row

    def digests_at(self, sequence: int) -> list[bytes | None]:
        return [digest for (digest,) in self._connection.execute(_DIGEST, (self._run_id, sequence))]

    def last_two(self) -> list[tuple[bytes, bytes | None]]:
        return self._connection.execute(_LAST_TWO, (self._run_id,)).fetchall()
