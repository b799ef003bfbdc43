"""Processes that open new files at the same moment; run by `test_sqlite_files.py` as a program of its own, which forks.

Its arguments are a folder, where a kind of files is defined, the number of processes, and the number of files.
"""

from __future__ import annotations

import multiprocessing
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier

    from toolgen.runtime.base.sqlite_files import SqliteKind


def open_files(kind: SqliteKind, folder: Path, files: int, barrier: Barrier) -> None:
    """Open all files, each when the other processes do; they end with the first that fails."""
    try:
        for number in range(files):
            barrier.wait(60)
            kind.open_for_writing(folder / f"{number}.db").close()
    except Exception:
        barrier.abort()
        raise


def main(folder: str, module: str, name: str, processes: str, files: str) -> int:
    kind: SqliteKind = getattr(import_module(module), name)
    forks = multiprocessing.get_context("fork")
    barrier = forks.Barrier(int(processes))
    made = [
        forks.Process(target=open_files, args=(kind, Path(folder), int(files), barrier)) for _ in range(int(processes))
    ]
    for each in made:
        each.start()
    for each in made:
        each.join()
    return max(abs(each.exitcode or 0) for each in made)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
