"""Locks: files that one holder at a time has, among all threads and processes; the system frees those of the dead."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolgen.spec.files import check_regular

if TYPE_CHECKING:
    from os import PathLike

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PAUSE: Final = 0.05
"""Seconds after which a lock that somebody holds is tried again."""


@contextmanager
def held(path: str | PathLike[str], patience: float, mode: int = 0o600) -> Generator[None]:
    """Hold a lock, as a context, whose file is there meanwhile; the thread waits for it.

    Raises TimeoutError if others have held it for `patience` seconds, `NotRegular` and OSError.
    """
    deadline = time.monotonic() + patience
    while (descriptor := take(path, mode)) is None:
        if time.monotonic() >= deadline:
            raise TimeoutError(errno.ETIMEDOUT, "another process has held its lock for too long")
        time.sleep(PAUSE)
    try:
        yield
    finally:
        release(path, descriptor)


def _open(path: str | PathLike[str], mode: int = 0o600) -> int:
    """Return the descriptor of the file of a lock, which is created if it is missing. A link is not followed."""
    with suppress(FileNotFoundError):
        check_regular(path, follow=False)
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    return os.open(path, flags, mode)


def take(path: str | PathLike[str], mode: int = 0o600) -> int | None:
    """Return the descriptor of a lock, for `release`; None if somebody holds it. Nothing is waited for.

    Raises `NotRegular` and OSError.
    """
    descriptor, is_taken = _open(path, mode), False
    try:
        is_taken = try_lock(descriptor) and _is_at(descriptor, path)
    finally:
        if not is_taken:
            os.close(descriptor)
    return descriptor if is_taken else None


def release(path: str | PathLike[str], descriptor: int) -> None:
    """Remove the file of a lock, and free it; whoever waits creates another one."""
    if sys.platform == "win32":
        os.close(descriptor)  # Windows does not remove an open file
    with suppress(OSError):
        Path(path).unlink()
    if sys.platform != "win32":
        fcntl.flock(descriptor, fcntl.LOCK_UN)  # a process that was forked meanwhile has the descriptor, too
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Lock an open file, unless somebody holds it; return whether it was locked."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _is_at(descriptor: int, path: str | PathLike[str]) -> bool:
    """Return whether the open file is still the one at `path`, and was not removed during the wait."""
    try:
        return os.path.samestat(os.fstat(descriptor), Path(path).stat())
    except FileNotFoundError:
        return False
