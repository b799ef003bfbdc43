"""Recordings as the command line reads them: lines of a file or of stdin, or the calls of a store as such lines."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

import click

from toolgen.cli.names import STDIN, named_lines
from toolgen.record.stores import SQLITE
from toolgen.runtime.base.postgres import is_postgres_url
from toolgen.spec.text import visible


def is_store(name: str) -> bool:
    """Whether a name is that of a store. Raises click.UsageError for a file that cannot be read."""
    if name == STDIN:
        return False
    if is_postgres_url(name):
        return True
    with named_lines(name) as lines:
        return next(lines, b"").startswith(SQLITE)


@contextmanager
def recorded_lines(name: str) -> Generator[Iterator[bytes]]:
    """Open a recording, and read it line by line; a line of a store is one call, in the order of the runs.

    Raises click.UsageError if it cannot be read.
    """
    if not is_store(name):
        with named_lines(name) as lines:
            yield lines
        return
    from toolgen.testing.recordings import RecordingError, lines_of_store

    try:
        yield lines_of_store(name)
    except (RecordingError, ImportError) as error:
        raise click.UsageError(f"{visible(str(error))}.") from None
