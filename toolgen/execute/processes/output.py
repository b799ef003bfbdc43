"""The output of a process: a bounded part in memory, and all of it in a file if there is more."""

from __future__ import annotations

import asyncio
import os
import tempfile
import weakref
from collections.abc import Callable
from typing import IO, Final

_CHUNK: Final = 65536
"""Bytes read from a pipe at a time; the capacity of a Linux pipe."""


class Spool:
    """A whole output, in an unnamed file that is deleted with this object.

    `size` is the number of bytes in it; if `complete` is False there were more, but no room for them.
    """

    def __init__(self, limit: int) -> None:
        self.size = 0
        self.complete = True
        self._limit = limit
        self._file: IO[bytes] | None = None
        try:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # it outlives this function
        except OSError:  # no folder for temporary files: only the part in memory is available
            self.complete = False
        else:
            weakref.finalize(self, self._file.close)

    def read(self) -> bytes:
        """Return all of it, `size` bytes."""
        if self._file is None:
            return b""
        self._file.seek(0)
        return self._file.read()

    def write(self, data: bytes) -> None:
        """Append as much as fits on the disk and within the limit."""
        if self._file is None or not self.complete:
            return
        room = data[: self._limit - self.size]
        try:
            written = self._file.write(room)
        except OSError:  # the disk is full
            written = 0
        self.size += written
        self.complete = written == len(data)


class Capture:
    """Receives an output in parts, and keeps its first or last `limit` bytes in memory.

    A longer output is written to `whole`, up to `spool_limit` bytes.
    """

    def __init__(self, limit: int, spool_limit: int, *, last: bool = False) -> None:
        self.whole: Spool | None = None
        self._limit = limit
        self._spool_limit = spool_limit
        self._last = last
        self._kept = bytearray()

    @property
    def kept(self) -> bytes:
        """The part in memory."""
        return bytes(self._kept)

    def take(self, data: bytes) -> None:
        """Receive the next part of the output."""
        if self.whole is None and len(self._kept) + len(data) > self._limit:
            self.whole = Spool(self._spool_limit)
            self.whole.write(bytes(self._kept))
        if self.whole is not None:
            self.whole.write(data)
        if self._last:
            self._kept += data
            del self._kept[: max(0, len(self._kept) - self._limit)]
        else:
            self._kept += data[: self._limit - len(self._kept)]


class PipeReader:
    """Reads a pipe whenever the event loop finds data in it. The other side blocks while it is not read.

    `ended` is done when all writers have closed it.
    """

    def __init__(self, pipe: IO[bytes], take: Callable[[bytes], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self._pipe, self._take = pipe, take
        os.set_blocking(pipe.fileno(), False)
        self._loop.add_reader(pipe.fileno(), self._read)

    def close(self) -> None:
        """Stop reading."""
        if not self._pipe.closed:
            self._loop.remove_reader(self._pipe.fileno())
            self._pipe.close()
        if not self.ended.done():
            self.ended.set_result(None)

    def _read(self) -> None:
        try:
            data = os.read(self._pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return
        if data:
            self._take(data)
        else:
            self.close()


class PipeWriter:
    """Writes all of `data` to a pipe, as the other side reads it, and closes it. It need not be read."""

    def __init__(self, pipe: IO[bytes], data: bytes) -> None:
        self._loop = asyncio.get_running_loop()
        self._pipe, self._rest = pipe, memoryview(data)
        os.set_blocking(pipe.fileno(), False)
        self._loop.add_writer(pipe.fileno(), self._write)

    def close(self) -> None:
        """Stop writing."""
        if not self._pipe.closed:
            self._loop.remove_writer(self._pipe.fileno())
            self._pipe.close()

    def _write(self) -> None:
        try:
            self._rest = self._rest[os.write(self._pipe.fileno(), self._rest) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # the reader has closed it
            self.close()
            return
        if not self._rest:
            self.close()
