"""What a process printed: a bounded part in memory, and all of it in a file where it is more than that."""

from __future__ import annotations

import asyncio
import os
import tempfile
import weakref
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK: Final = 65536
"""Bytes that are read from a pipe at a time; what a Linux pipe holds."""


class Spool:
    """The whole of an output, in a file without a name, which goes when this object goes.

    `size` counts the bytes that are in it; with `complete` False there were more, but no room for them.
    """

    def __init__(self, limit: int) -> None:
        self.size = 0
        self.complete = True
        self._limit = limit
        self._file: IO[bytes] | None = None
        try:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # it outlives this function
        except OSError:  # no folder for temporary files: then the part in memory is all there is
            self.complete = False
        else:
            weakref.finalize(self, self._file.close)

    def read(self) -> bytes:
        """Return all of it. It is as large as `size` says."""
        if self._file is None:
            return b""
        self._file.seek(0)
        return self._file.read()

    def write(self, data: bytes) -> None:
        """Add to it what there is room for, on the disk and within its limit."""
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
    """Takes an output as it comes, and keeps its first `limit` bytes, or its last ones.

    Beyond that the whole output goes to `whole`, up to `spool_limit` bytes.
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
        """Take the next part of the output."""
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
    """Reads a pipe whenever the loop finds something in it. The other side waits while nobody reads.

    `ended` is done once all others have closed it.
    """

    def __init__(self, pipe: IO[bytes], take: Callable[[bytes], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self._pipe, self._take = pipe, take
        os.set_blocking(pipe.fileno(), False)
        self._loop.add_reader(pipe.fileno(), self._read)

    def close(self) -> None:
        """Read no more."""
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
    """Writes all of `data` to a pipe, as the other side takes it, and closes it. Nobody has to read it."""

    def __init__(self, pipe: IO[bytes], data: bytes) -> None:
        self._loop = asyncio.get_running_loop()
        self._pipe, self._rest = pipe, memoryview(data)
        os.set_blocking(pipe.fileno(), False)
        self._loop.add_writer(pipe.fileno(), self._write)

    def close(self) -> None:
        """Write no more."""
        if not self._pipe.closed:
            self._loop.remove_writer(self._pipe.fileno())
            self._pipe.close()

    def _write(self) -> None:
        try:
            self._rest = self._rest[os.write(self._pipe.fileno(), self._rest) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # it does not care for more
            self.close()
            return
        if not self._rest:
            self.close()
