"""A store in a Postgres database: one thread writes, and commits everything that arrived during a write together."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolgen.record.postgres.reader import EVENTS_AFTER, PostgresReader, database_at, decoded
from toolgen.record.postgres.tables import channel_of
from toolgen.record.postgres.writer import Writer
from toolgen.record.writing.queue import WriteQueue
from toolgen.runtime.events.encoding import encode_result
from toolgen.runtime.events.records import Event, NewEvent, RunRecord, RunSummary, StoreError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable

    from toolgen.contract.records import ToolResult
    from toolgen.record.chain import ChainKey, Head

_LONGEST_RUN_ID: Final = 1000
"""In bytes of UTF-8. A key of a Postgres index has at most 2,704 bytes."""

_now: Final = partial(datetime.now, UTC)


class PostgresStore:
    """Stores runs in a Postgres database (extra `toolgen[postgres]`). Implements `Store`.

    Any number of processes and machines may write, also to one run. `url` is `postgresql://user:password@host/database`,
    or what else libpq takes; without a password, libpq's own sources of it apply. The tables are in the schema
    `toolgen`, and are created where they are missing.

    With a `key`, which must not be stored in the database, the events of each run form a chain that reveals tampering.
    A run can only be continued with the same key, and if the end of its record is unchanged; otherwise writes raise
    `StoreError`. A write is committed within `timeout` seconds, also if the server restarts meanwhile, or raises
    `StoreError`. `clock` returns the time of events. `follow` waits for notifications of new events, and looks every
    `poll` seconds for those without one. A run id has at most 1,000 bytes and no NUL; another one raises ValueError. A
    forked process must open its own store: its writes to this one raise `StoreError`.

    Raises `StoreError` if the database cannot be reached, or has other tables than a store, and ImportError without
    psycopg. No message contains credentials.
    """

    def __init__(
        self,
        url: str,
        *,
        key: ChainKey | None = None,
        clock: Callable[[], datetime] = _now,
        poll: float = 1.0,
        timeout: float = 10.0,
    ) -> None:
        self._clock = clock
        self._poll = poll
        self._timeout = timeout
        self._database = database_at(url, timeout=timeout)
        self._reader = PostgresReader(url)
        self._writer = Writer(self._database, key, timeout)
        self._queue = WriteQueue(self._writer.commit, self._writer.close)

    def append(self, event: NewEvent, /) -> Awaitable[None]:
        """Write an event. Raises ValueError or TypeError if it is not JSON, `StoreError` if closed or forked."""
        _check_run_id(event.run_id)
        return self._queue.put(event, self._clock(), None)

    def finish(self, event: NewEvent, result: ToolResult[Any], /) -> Awaitable[None]:
        """Write a final result and its event, both or neither. Raises as `append` does."""
        _check_run_id(event.run_id)
        return self._queue.put(event, self._clock(), encode_result(result, event.secrets))

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
        """Return the events of a run after a number, including future ones, endlessly, over a connection of its own.

        Raises `StoreError` if the database cannot be reached for `timeout` seconds.
        """
        import psycopg

        reached = time.monotonic()
        while True:
            try:
                async for events in self._new_events(run_id, after):
                    reached = time.monotonic()
                    for event in events:
                        after = event.sequence
                        yield event
            except psycopg.OperationalError as error:
                if time.monotonic() - reached > self._timeout:
                    raise StoreError(f"the store cannot be read: {self._database.why(error)}") from error
                await asyncio.sleep(min(self._poll, 0.1))

    async def close(self) -> None:
        """Write what is pending, and close the connections."""
        await self._queue.close()
        await asyncio.to_thread(self._reader.close)

    async def _new_events(self, run_id: str, after: int) -> AsyncGenerator[list[Event]]:
        """Return the events after a number whenever there may be new ones. Raises psycopg.Error."""
        import psycopg.sql

        connection = await self._database.connect_async()
        try:
            listen = psycopg.sql.SQL("LISTEN {}").format(psycopg.sql.Identifier(channel_of(run_id)))
            await connection.execute(listen)  # before reading, so that no event is missed
            while True:
                rows = await (await connection.execute(EVENTS_AFTER, (run_id, after), binary=True)).fetchall()
                events = decoded(run_id, rows)
                if events:
                    after = events[-1].sequence
                yield events
                async for _ in connection.notifies(timeout=self._poll, stop_after=1):
                    pass
        finally:
            await connection.close()


def _check_run_id(run_id: str) -> None:
    if "\0" in run_id or len(run_id.encode()) > _LONGEST_RUN_ID:
        raise ValueError(f"a run id in Postgres has at most {_LONGEST_RUN_ID:,} bytes, and no NUL")
