"""The queue of a store: one thread commits everything that arrived during the last commit together."""

from __future__ import annotations

import asyncio
import atexit
import os
from threading import Condition, Thread
from typing import TYPE_CHECKING

from toolgen.record.writing.writes import Group, Write
from toolgen.runtime.events.encoding import encode_event, format_time
from toolgen.runtime.events.records import NewEvent, StoreError
from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime


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
        atexit.register(self.drain)

    def put(self, event: NewEvent, at: datetime, result: bytes | None) -> Write:
        """Add an event with its time and the text of its result.

        Raises ValueError or TypeError if it is not JSON, and `StoreError` if the queue is closed or the process forked.
        """
        if self._process != os.getpid():
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
        if self._process != os.getpid():
            return
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._writer.join()
        atexit.unregister(self.drain)

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
