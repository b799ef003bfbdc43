"""Recordings as the command line reads them: lines of a file or of stdin, or the calls of a store as such lines."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import click

from toolgen.cli.names import STDIN, named_lines
from toolgen.cli.output import echo
from toolgen.record.stores import SQLITE, name_of_target
from toolgen.runtime.base.postgres import is_postgres_url
from toolgen.spec.text import visible

_MOST_TOLD: Final = 50
"""Calls that are left out, of which each is told."""


def is_store(name: str) -> bool:
    """Whether a name is that of a store. Raises click.UsageError for a file that cannot be read."""
    if name == STDIN:
        return False
    if is_postgres_url(name):
        return True
    with named_lines(name) as lines:
        return next(lines, b"").startswith(SQLITE)


class RecordedLines:
    """The lines of a recording, which are read once, and the places of those that were read."""

    def __init__(self, name: str, lines: Iterable[bytes] = (), calls: Iterable[tuple[str, bytes]] = ()) -> None:
        self.name: Final = name
        self._lines = lines
        self._calls = calls
        self._places: list[str] = []

    def __iter__(self) -> Iterator[bytes]:
        yield from self._lines
        for place, line in self._calls:
            self._places.append(place)
            yield line

    def place(self, number: int) -> str:
        """Return where a line is, by its number from 1: `calls.jsonl:2`, or `calls.db run r1 call c1` in a store."""
        return self._places[number - 1] if self._places else f"{self.name}:{number}"


@contextmanager
def recorded_lines(name: str) -> Generator[RecordedLines]:
    """Open a recording, and read it line by line; a line of a store is one call, in the order of the runs.

    The calls of a store that say nothing about its tools are told at the end. Raises click.UsageError if it cannot be
    read.
    """
    if not is_store(name):
        with named_lines(name) as lines:
            yield RecordedLines(name_of_target(name), lines)
        return
    from toolgen.testing.recordings import RecordingError, lines_of_store

    left_out: list[str] = []
    try:
        yield RecordedLines(name_of_target(name), calls=lines_of_store(name, left_out))
    except (RecordingError, ImportError) as error:
        raise click.UsageError(f"{visible(str(error))}.") from None
    tell_left_out(left_out)


def tell_left_out(problems: Sequence[str]) -> None:
    """Say on stderr what is left out, and why."""
    for problem in problems[:_MOST_TOLD]:
        echo(visible(f"left out: {problem}"), err=True)
    if len(problems) > _MOST_TOLD:
        echo(f"left out: {len(problems) - _MOST_TOLD:,} more", err=True)
