"""Transaction: one command at a time changes a tree, starting from a consistent state."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, TypeVar

from toolgen.compiler.publish.journal import interrupted, settle
from toolgen.spec.writing import open_lock

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.publish.apply import Disk
    from toolgen.compiler.publish.tree import Tree


# Exclusive: only one command at a time writes an output folder.

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


_PAUSE: Final = 0.05
_FILE: Final = "lock"


class OutputBusy(Exception):
    """Another process has held the output folder for the whole waiting time."""


@contextmanager
def exclusive(tree: Tree, disk: Disk, *, patience: float, waiting: Callable[[str], None]) -> Generator[None]:
    """Lock the output folder of `tree`, created if missing, against other processes.

    Waits up to `patience` seconds, and calls `waiting` once with a message. The operating system releases the lock when
    the process ends. Raises OutputBusy and OSError.
    """
    descriptor = _acquire(tree, disk, patience, waiting)
    try:
        yield
    finally:
        _release(tree, disk, descriptor)


def _acquire(tree: Tree, disk: Disk, patience: float, waiting: Callable[[str], None]) -> int:
    deadline = time.monotonic() + patience
    notified = False
    while True:
        with suppress(FileNotFoundError):  # the folder was just removed by the previous holder
            _make_folders(tree.work(), disk)
            descriptor = open_lock(tree.work(_FILE), 0o666)
            if _lock(descriptor) and _is_at(descriptor, tree.work(_FILE)):
                return descriptor
            os.close(descriptor)
        if time.monotonic() >= deadline:
            raise OutputBusy(f"another toolgen command has been writing {tree.out} for {patience:g} seconds")
        if not notified:
            waiting(f"waiting for another toolgen command that writes {tree.out}")
            notified = True
        time.sleep(_PAUSE)


def _release(tree: Tree, disk: Disk, descriptor: int) -> None:
    """Release the lock, and remove empty folders; a waiting process creates them again.

    Folders that cannot be removed are left to the next command: the work is done, or has failed for another reason.
    """
    if sys.platform == "win32":
        os.close(descriptor)  # Windows does not remove an open file
    with suppress(OSError):
        disk.remove(tree.work(_FILE))
    if sys.platform != "win32":
        os.close(descriptor)
    for folder in (tree.work(), tree.folder):
        with suppress(OSError):
            if not os.listdir(folder):
                disk.remove_folder(folder)


def _make_folders(path: str, disk: Disk) -> None:
    """Create a folder and its parents; another process may do the same at the same time."""
    missing: list[str] = []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for each in reversed(missing):
        with suppress(FileExistsError):
            disk.make_folder(each)


def _is_at(descriptor: int, path: str) -> bool:
    """Return whether the open file is still the one at `path`, and was not removed during the wait."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


ResultT = TypeVar("ResultT")


def transact(
    tree: Tree,
    change: Callable[[], ResultT],
    *,
    force: bool,
    sink: Diagnostics,
    patience: float,
    waiting: Callable[[str], None],
    disk: Disk,
) -> ResultT | None:
    """Lock the tree, complete or undo an interrupted build, and return the result of `change`.

    Obstacles are reported, and the result is None: another command that holds the tree, an edit since the interruption,
    a link above the tree, or an OSError, also from `change`.
    """
    if not tree.is_real(sink):
        return None
    try:
        with exclusive(tree, disk, patience=patience, waiting=waiting):
            return change() if settle(tree, force=force, sink=sink, disk=disk) else None
    except (OutputBusy, OSError) as error:
        _report(tree, error, sink)
        return None


def _report(tree: Tree, error: OutputBusy | OSError, sink: Diagnostics) -> None:
    if isinstance(error, OutputBusy):
        sink.report("TG607", tree.span(), str(error))
        return
    place = error.filename2 or error.filename
    where = f" ({os.path.relpath(place, tree.root)})".replace(os.sep, "/") if isinstance(place, str) else ""
    state = "the next command completes or undoes the changes" if interrupted(tree) else "nothing was changed"
    sink.report("TG608", tree.span(), f"{tree.out} could not be written: {error.strerror or error}{where}; {state}")
