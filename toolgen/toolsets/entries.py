"""The entries below a folder. What cannot be read is skipped, and the host is warned: the rest stays available."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from toolgen.execute.paths import shown
from toolgen.runtime.base.effects import check_call
from toolgen.runtime.policy.paths import FileKind
from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    from toolgen.execute.paths import Folder, FolderEntry

Names: TypeAlias = tuple[str, ...]
"""The names that lead from a folder to an entry below it."""


def entries_below(top: Folder, enters: Callable[[Names], bool]) -> Iterator[tuple[Names, FolderEntry]]:
    """Yield the entries of a folder, sorted, and after each folder that `enters` accepts its entries.

    Links are not followed. Raises OSError if the folder itself cannot be read.
    """
    pending: list[tuple[Names, FolderEntry]] = [((entry.name,), entry) for entry in reversed(top.entries())]
    while pending:
        check_call()
        names, entry = pending.pop()
        yield names, entry
        if entry.kind is FileKind.FOLDER and enters(names):
            with skip_unreadable(names), top.open_below(names) as folder:
                pending += [((*names, below.name), below) for below in reversed(folder.entries())]


def read_below(top: Folder, names: Names, most: int) -> bytes | None:
    """Read up to `most` bytes of a file below a folder; None if it cannot be read."""
    with skip_unreadable(names), top.open_below(names[:-1]) as folder, folder.open_file(names[-1]) as file:
        return file.read(most)
    return None


@contextmanager
def skip_unreadable(names: Names) -> Generator[None]:
    """Suppress the errors of reading an entry, with a warning unless it was removed meanwhile."""
    try:
        yield
    except FileNotFoundError:
        pass
    except OSError as error:
        warn("%s cannot be read (%s), and is skipped", shown("/".join(names)), os.strerror(error.errno or 0))
