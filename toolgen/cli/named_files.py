"""Files named on the command line; `-` is stdin."""

from __future__ import annotations

import errno
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import IO, Final

import click

from toolgen.spec.files import NotRegular, TooLarge, open_file, read_file, too_large

STDIN: Final = "-"
LONGEST_LINE: Final = 64 * 1024 * 1024


def read_named(name: str, limit: int) -> bytes:
    """Read a file, or stdin, of at most `limit` bytes. Raises click.UsageError."""
    try:
        return _read_stdin(limit) if name == STDIN else read_file(name, limit)
    except OSError as error:
        raise _unreadable(name, error) from None


@contextmanager
def named_lines(name: str) -> Generator[Iterator[bytes]]:
    """Open a file of any size, or stdin, and read it line by line.

    Raises click.UsageError if it cannot be read, or for a line of more than `LONGEST_LINE` bytes.
    """
    try:
        if name == STDIN:
            yield _lines(_stdin())
        else:
            with open_file(name) as file:
                yield _lines(file)
    except OSError as error:
        raise _unreadable(name, error) from None


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise TooLarge(errno.EFBIG, f"line {number} is over {LONGEST_LINE:,} bytes")
        yield line


def _stdin() -> IO[bytes]:
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdin.buffer


def _read_stdin(limit: int) -> bytes:
    content = _stdin().read(limit + 1)
    if len(content) > limit:
        raise too_large(limit, STDIN)
    return content


def _unreadable(name: str, error: OSError) -> click.UsageError:
    shown = "stdin" if name == STDIN else name
    hint = " To read from a pipe, give `-` for stdin." if isinstance(error, NotRegular) else ""
    return click.UsageError(f"{shown} cannot be read: {error.strerror}.{hint}")
