"""What a process has open, for tests that leave nothing open."""

from __future__ import annotations

import gc
from pathlib import Path


def open_files() -> set[tuple[str, str]]:
    """Return what this process has open, by the number and what is there.

    A test asserts that there is nothing more than before (`<=`): threads of earlier tests may still close theirs. It is
    empty where systems do not list what is open.
    """
    gc.collect()
    found = set[tuple[str, str]]()
    links = Path("/proc/self/fd")
    for link in links.iterdir() if links.is_dir() else ():
        try:
            found.add((link.name, str(link.readlink())))
        except FileNotFoundError:  # that of the list itself
            continue
    return found
