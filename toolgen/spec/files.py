"""Files from users, hosts or repositories: read completely and bounded, and only if they are regular files.

A pipe would block its reader, a device has no end, and a repository may contain either, also as a link.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from os import PathLike

_CHUNK: Final = 65_536
_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_NONBLOCK", 0)
)


class NotRegular(OSError):
    """The path exists but is not a regular file: a folder, a device, a pipe, a socket, or a rejected link.

    `strerror` says which.
    """


class TooLarge(OSError):
    """A file is too large. `strerror` has the limit."""


class LeadsOut(OSError):
    """A link leads out of the folder that must contain a file."""


def read_file(path: str | PathLike[str], limit: int, *, follow: bool = True) -> bytes:
    """Read a regular file of at most `limit` bytes. Nothing else is opened, and it never blocks.

    Without `follow` a link is rejected. Raises `NotRegular`, `TooLarge` and OSError.
    """
    descriptor = _open(path, follow=follow)
    try:
        size = os.fstat(descriptor).st_size
        if size > limit:
            raise too_large(limit, path)
        content = os.read(descriptor, size + 1)
        while len(content) <= limit and (more := os.read(descriptor, _CHUNK)):
            content += more  # it has grown, or is a kernel file without a size
    finally:
        os.close(descriptor)
    if len(content) > limit:
        raise too_large(limit, path)
    return content


def read_file_inside(path: str | PathLike[str], folder: str | PathLike[str], limit: int) -> bytes:
    """Read a regular file as `read_file` does, if no link leads out of `folder`.

    Raises `LeadsOut`, `NotRegular`, `TooLarge` and OSError.
    """
    real = os.path.realpath(path)
    if not is_inside(real, os.path.realpath(folder)):
        raise LeadsOut(errno.EPERM, "it is a link that leads out of the folder", os.fspath(path))
    return read_file(real, limit, follow=False)


def open_file(path: str | PathLike[str]) -> IO[bytes]:
    """Open a regular file of any size for reading. Raises `NotRegular` and OSError."""
    with ExitStack() as unless_opened:
        descriptor = _open(path, follow=True)
        unless_opened.callback(os.close, descriptor)
        file = os.fdopen(descriptor, "rb")
        unless_opened.pop_all()
    return file


def check_regular(path: str | PathLike[str], *, follow: bool = True) -> os.stat_result:
    """Return the status of a regular file, without opening it. Raises `NotRegular` and OSError."""
    status = os.stat(path, follow_symlinks=follow)
    _check(status, path)
    return status


def is_inside(path: str, folder: str) -> bool:
    """Return whether a resolved path is a resolved folder, or below it."""
    return f"{path}{os.sep}".startswith(f"{folder.rstrip(os.sep)}{os.sep}")


def _open(path: str | PathLike[str], *, follow: bool) -> int:
    check_regular(path, follow=follow)  # opening a device can have side effects
    descriptor = os.open(path, _FLAGS if follow else _FLAGS | getattr(os, "O_NOFOLLOW", 0))
    with ExitStack() as unless_regular:
        unless_regular.callback(os.close, descriptor)
        _check(os.fstat(descriptor), path)  # the file may have been replaced
        unless_regular.pop_all()
    return descriptor


def _check(status: os.stat_result, path: str | PathLike[str]) -> None:
    if not stat.S_ISREG(status.st_mode):
        what = next((name for is_kind, name in _KINDS if is_kind(status.st_mode)), "something else")
        raise NotRegular(errno.EINVAL, f"it is {what}, not a regular file", os.fspath(path))


_KINDS: Final = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISLNK, "a link"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def too_large(limit: int, path: str | PathLike[str]) -> TooLarge:
    """Return the error for a file of more than `limit` bytes."""
    return TooLarge(errno.EFBIG, f"it is over {limit:,} bytes", os.fspath(path))
