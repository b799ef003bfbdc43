"""What is named on the command line: tools and toolsets, addresses to listen at, and files."""

from __future__ import annotations

import errno
import sys
from collections.abc import Collection, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, Final

import click

from toolgen.compiler.diagnostics.diagnostic import closest
from toolgen.spec.files import NotRegular, TooLarge, open_file, read_file, too_large

if TYPE_CHECKING:
    from toolgen.runtime.catalog.known_tools import KnownTools


_MOST_SHOWN: Final = 5
"""Tools of a toolset that an error lists."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the sentence "Did you mean …?" with the known name closest to `name`; empty if none is close."""
    meant = closest(name, known)
    return f"Did you mean `{meant}`?" if meant else ""


def idents_meant(name: str, known: KnownTools) -> tuple[str, ...]:
    """Return the idents of the tools that a name may refer to. Raises click.UsageError if there are none."""
    idents = known.find(name)
    if not idents:
        if below := known.below(name):
            shown = ", ".join(f"`{ident}`" for ident in below[:_MOST_SHOWN])
            more = f" and {len(below) - _MOST_SHOWN:,} more: see `toolgen list`" if len(below) > _MOST_SHOWN else ""
            raise click.UsageError(f"`{name}` is no tool, but the start of {shown}{more}.")
        meant = known.nearest(name)
        hint = f"Did you mean `{meant[0]}`?" if meant else "See `toolgen list`."
        raise click.UsageError(f"There is no tool `{name}`. {hint}")
    return idents


def ident_meant(name: str, known: KnownTools) -> str:
    """Return the ident of the tool that a name refers to. Raises click.UsageError if there is none or several."""
    ident, *others = idents_meant(name, known)
    if others:
        raise click.UsageError(f"`{name}` is ambiguous: {', '.join(sorted([ident, *others]))}.")
    return ident


def check_toolset(name: str | None, known: Collection[str]) -> None:
    """Raise click.UsageError for the name of an unknown toolset. None is no name, and passes."""
    if name is not None and name not in known:
        raise click.UsageError(f"There is no toolset `{name}`. {suggestion(name, known) or 'See `toolgen list`.'}")


class GivenName(click.types.StringParamType):
    """A name or a path that is not empty, as it is where a variable of a script is not set."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the text. Raises click.BadParameter."""
        if value == "":
            self.fail("it is empty: is a variable not set?", param, ctx)
        return super().convert(value, param, ctx)


def place_of(address: str) -> tuple[str, int]:
    """Return the host and the port of `[HOST:]PORT`. Raises click.UsageError."""
    host, _, port = address.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise click.UsageError(f"--http {address}: this is not [HOST:]PORT, such as 8000 or 127.0.0.1:8000")
    return host.strip("[]") or "127.0.0.1", int(port)


# Files; `-` is stdin.

STDIN: Final = "-"
_LONGEST_LINE: Final = 64 * 1024 * 1024


def read_named(name: str, limit: int) -> bytes:
    """Read a file, or stdin, of at most `limit` bytes. Raises click.UsageError."""
    try:
        return _read_stdin(limit) if name == STDIN else read_file(name, limit)
    except OSError as error:
        raise _unreadable(name, error) from None


@contextmanager
def named_lines(name: str) -> Generator[Iterator[bytes]]:
    """Open a file of any size, or stdin, and read it line by line.

    Raises click.UsageError if it cannot be read, or for a line of more than `_LONGEST_LINE` bytes.
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
    while line := file.readline(_LONGEST_LINE + 1):
        number += 1
        if len(line) > _LONGEST_LINE:
            raise TooLarge(errno.EFBIG, f"line {number} is over {_LONGEST_LINE:,} bytes")
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
