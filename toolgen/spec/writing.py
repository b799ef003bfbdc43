"""Files that toolgen writes: each as a whole, and never through a link that leads out of the folder it belongs to.

The one place where files are opened for writing, beside `execute/paths`, which does it for models.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, BinaryIO, Final

from toolgen.spec.files import LeadsOut, TooLarge, check_regular, is_inside, open_file, read_file
from toolgen.spec.locks import try_lock
from toolgen.spec.sensitive import note_private

if TYPE_CHECKING:
    from os import PathLike

_NEW: Final = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)
_FOLDER: Final = (
    os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
)
PRIVATE: Final = 0o600
"""The mode of files that have data of runs, or secrets: only their user can read them, from their creation on."""

_PATIENCE: Final = 1.0
"""Seconds to wait for a file that another process has locked. A toolgen has it for less than a millisecond; whoever has
it for longer, such as a program `flock` that has started this one, does not keep it from being written.
"""

_PAUSE: Final = 0.002

_BOM: Final = b"\xef\xbb\xbf"
_HAS_DESCRIPTORS: Final = os.open in os.supports_dir_fd and os.mkdir in os.supports_dir_fd
"""Whether the system opens files relative to an open folder, so that nothing on the way can become a link meanwhile."""


class Changed(OSError):
    """A file is not what it was when it was read. `filename` is its path, as it was given."""


def write_inside(
    folder: str | PathLike[str],
    path: str | PathLike[str],
    content: bytes,
    *,
    mode: int = 0o666,
    is_new: bool = False,
    is_durable: bool = False,
) -> None:
    """Write a file below a folder: readers see the old content or the new one. Missing folders are created.

    Links on the way, and at the name of the file, may lead to another place below the folder. A file that is there
    keeps its permissions; a new one gets `mode`, and new folders are for the same users. With `is_new` there may be
    none, and of two processes the first one wins; with `is_durable` the content is on disk when this returns. Raises
    `LeadsOut`, `NotRegular`, FileExistsError and OSError.
    """
    real = place_inside(folder, path)
    place = os.path.join(folder, path)
    if is_new and os.path.lexists(place):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), place)
    _write(folder, real, content, mode=mode, is_new=is_new, is_durable=is_durable)


def is_read_only(status: os.stat_result) -> bool:
    """Whether nobody may write a file by its mode. It is not replaced then, though another file could take its place.

    Whether this user may write another one is for `os.access` to say, which lets root write any.
    """
    return not status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)


def replace_inside(
    folder: str | PathLike[str],
    path: str | PathLike[str],
    before: bytes | None,
    content: bytes,
    *,
    mode: int = 0o666,
) -> None:
    """Write a file that people write too, as `write_inside` does, if it still is what was read; None for no file.

    It is read again right before it is replaced, and locked meanwhile: of several programs of toolgen that have read
    the same, one writes it. A byte order mark that is not in `before` stays. Raises `Changed` for a file that has
    changed since, or was created or removed, PermissionError for one that may only be read, and what `write_inside`
    raises.
    """
    real = place_inside(folder, path)
    if before is None:
        try:
            write_inside(folder, path, content, mode=mode, is_new=True)
        except FileExistsError as error:
            raise _changed(path) from error
        return
    mark = _mark(real, before, path)
    if is_read_only(os.stat(real)) or not os.access(real, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    _write(folder, real, mark + content, unchanged=lambda: _unchanged(real, mark + before, path))


@contextmanager
def _unchanged(real: str, before: bytes, path: str | PathLike[str]) -> Generator[None]:
    """Lock a file that still is what was read. Raises `Changed` and OSError."""
    with ExitStack() as locked:
        if sys.platform != "win32":  # where a file that is open cannot be replaced
            try:
                file = locked.enter_context(open_file(real))
            except FileNotFoundError as error:
                raise _changed(path) from error
            _lock(file.fileno(), real, path)
        _mark(real, before, path)
        yield


def _lock(descriptor: int, real: str, path: str | PathLike[str]) -> None:
    """Lock a file against other programs of toolgen until it is closed.

    Raises `Changed` if another file has its name by then.
    """
    deadline = time.monotonic() + _PATIENCE
    while not _can_lock(descriptor) and time.monotonic() < deadline:
        time.sleep(_PAUSE)
    present = _status(real)
    if present is None or not os.path.samestat(os.fstat(descriptor), present):
        raise _changed(path)


def _can_lock(descriptor: int) -> bool:
    """Lock an open file, unless another process has it locked; where there are no locks, it is as if it were."""
    try:
        return sys.platform == "win32" or try_lock(descriptor)
    except OSError:  # a file system without locks
        return True


def _mark(real: str, before: bytes, path: str | PathLike[str]) -> bytes:
    """Return the byte order mark of a file, if what was read of it is without one. Raises `Changed` and OSError."""
    try:
        present = read_file(real, len(_BOM) + len(before), follow=False)
    except (FileNotFoundError, TooLarge) as error:
        raise _changed(path) from error
    if present == before:
        return b""
    if present == _BOM + before:
        return _BOM
    raise _changed(path)


def _changed(path: str | PathLike[str]) -> Changed:
    return Changed(errno.EBUSY, "it has changed meanwhile", os.fspath(path))


def _write(
    folder: str | PathLike[str],
    real: str,
    content: bytes,
    *,
    mode: int = 0o666,
    is_new: bool = False,
    is_durable: bool = False,
    unchanged: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> None:
    """Write a file below a folder, links followed. `unchanged` raises an error if it must not be replaced after all."""
    present = _status(real)
    *folders, name = _names(real, folder)
    with _below(os.path.realpath(folder), folders, mode) as (above, at), ExitStack() as unless_moved:
        place = _at(above, at, name)
        staged = _at(above, at, f".{name[:64]}.{os.urandom(8).hex()}")
        _write_new(staged, content, mode, at, is_durable=is_durable, like=present)
        unless_moved.callback(_remove, staged, at)
        if is_new:
            _link_new(staged, place, at)
            return
        with unchanged():
            os.replace(staged, place, src_dir_fd=at, dst_dir_fd=at)
        unless_moved.pop_all()


def _status(real: str) -> os.stat_result | None:
    """Return the status of a regular file; None if there is none. Raises `NotRegular` and OSError."""
    try:
        return check_regular(real, follow=False)
    except FileNotFoundError:
        return None


def append_lines_inside(
    folder: str | PathLike[str],
    path: str | PathLike[str],
    lines: bytes,
    *,
    beginnings: Sequence[bytes],
    size: int | None = None,
) -> None:
    """Append lines to a file of JSON Lines below a folder, which must be there, behind a line end.

    What `is_torn` at its end is removed, and any other last line gets an end. Links are followed as `write_inside`
    follows them. The file is locked as `replace_inside` does it. `size` is what was read of it. Raises `Changed` for
    another one, and for a file that was replaced meanwhile; `LeadsOut`, `NotRegular`, FileNotFoundError and OSError.
    """
    real = place_inside(folder, path)
    check_regular(real, follow=False)
    *folders, name = _names(real, folder)
    with _below(os.path.realpath(folder), folders) as (above, at):
        flags = os.O_RDWR | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(_at(above, at, name), flags, dir_fd=at), "a+b") as file:
            _lock(file.fileno(), real, path)
            if size is not None and os.fstat(file.fileno()).st_size != size:
                raise _changed(path)
            last = _last_line(file)
            if is_torn(last, beginnings):
                file.truncate(file.seek(0, os.SEEK_END) - len(last))
            file.write(lines if not last or is_torn(last, beginnings) else b"\n" + lines)


def is_torn(line: bytes, beginnings: Sequence[bytes]) -> bool:
    """Whether a last line without an end is a part of one with these beginnings, whose writer was stopped."""
    if not line or not any(line.startswith(begun) or begun.startswith(line) for begun in beginnings):
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return True
    return False


def _last_line(file: BinaryIO) -> bytes:
    """Return what follows the last line end of a file."""
    found, at = b"", file.seek(0, os.SEEK_END)
    while at and b"\n" not in found:
        length = min(at, max(1, len(found)))  # most files end with a line end
        at = file.seek(at - length)
        found = file.read(length) + found
    return found.rpartition(b"\n")[2]


def make_folder_inside(folder: str | PathLike[str], path: str | PathLike[str], *, mode: int = 0o666) -> str:
    """Create a folder below another, and those above it, if they are missing; return where it is.

    `mode` is that of files for which it is created. Raises `LeadsOut` for a link that leads out, and OSError.
    """
    real = place_inside(folder, path)
    with _below(os.path.realpath(folder), _names(real, folder), mode):
        return real


def link_inside(folder: str | PathLike[str], path: str | PathLike[str], target: str) -> None:
    """Create a symbolic link below a folder, wherever it leads. Raises `LeadsOut` for its own place, and OSError."""
    *folders, name = _names(place_inside(folder, path), folder)
    with _below(os.path.realpath(folder), folders) as (above, at):
        os.symlink(target, _at(above, at, name), dir_fd=at)


def place_inside(folder: str | PathLike[str], path: str | PathLike[str]) -> str:
    """Return where a path below a folder is, links followed. Raises `LeadsOut` if that is not below the folder."""
    real = os.path.realpath(os.path.join(folder, path))
    if not is_inside(real, os.path.realpath(folder)):
        raise LeadsOut(errno.EPERM, "a link leads out of the folder", os.fspath(path))
    return real


def write_new(path: str | PathLike[str], content: bytes, *, mode: int = 0o666) -> None:
    """Create a file in a folder that only toolgen writes, such as a temporary one. Raises FileExistsError, OSError."""
    _write_new(os.fspath(path), content, mode, None)


def create_private(path: str | PathLike[str]) -> None:
    """Create an empty file that only the user can read, unless there is one: it is toolgen's. Raises OSError."""
    note_private(path)
    with suppress(FileExistsError):
        _write_new(os.fspath(path), b"", PRIVATE, None)


def make_private_folder(path: str | PathLike[str]) -> None:
    """Create a folder of the user, and those above it, if they are missing; others cannot read it. Raises OSError."""
    os.makedirs(path, mode=_for_the_same_users(PRIVATE), exist_ok=True)


def flush_to_disk(path: str | PathLike[str]) -> None:
    """Wait until the changes to a file or a folder survive a power failure. Raises OSError."""
    if sys.platform == "win32":
        if os.path.isdir(path):  # not needed on Windows, which cannot open folders
            return
        descriptor = os.open(path, os.O_RDWR)
    else:
        descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def named_place(path: str | PathLike[str]) -> tuple[str, str]:
    """Return the folder that an output named on the command line may not leave through a link, and its path below.

    A path below the working directory may be one of a repository, so it stays there; another one in the folder that
    the person named.
    """
    here = os.path.abspath("")
    place = os.path.abspath(path)
    if is_inside(place, here) and place != here:
        return here, os.path.relpath(place, here)
    return os.path.dirname(place), os.path.basename(place)


def _names(real: str, folder: str | PathLike[str]) -> list[str]:
    below = os.path.relpath(real, os.path.realpath(folder))
    return [] if below == os.curdir else below.split(os.sep)


@contextmanager
def _below(folder: str, names: Sequence[str], mode: int = 0o666) -> Generator[tuple[str, int | None]]:
    """Open a folder some levels below a resolved one, where no level may be a link; create what is missing.

    Yields its path, and its descriptor where the system has them. `mode` is that of files in it.
    """
    mode = _for_the_same_users(mode)
    os.makedirs(folder, mode, exist_ok=True)
    place = os.path.join(folder, *names)
    if not _HAS_DESCRIPTORS:
        made = folder
        for name in names:
            made = os.path.join(made, name)
            os.makedirs(made, mode, exist_ok=True)
        if os.path.realpath(place) != place:
            raise LeadsOut(errno.EPERM, "a link leads out of the folder", place)
        yield place, None
        return
    with ExitStack() as opened:
        at = os.open(folder, _FOLDER)
        opened.callback(os.close, at)
        for name in names:
            with suppress(FileExistsError):
                os.mkdir(name, mode, dir_fd=at)
            at = os.open(name, _FOLDER, dir_fd=at)
            opened.callback(os.close, at)
        yield place, at


def _for_the_same_users(mode: int) -> int:
    """Return the mode of a folder that those can enter who can read a file with a mode."""
    return mode | (mode & 0o444) >> 2


def _at(above: str, at: int | None, name: str) -> str:
    """Return a name as functions of the system take it: relative to an open folder, or with the path of the folder."""
    return name if at is not None else os.path.join(above, name)


def _write_new(
    path: str,
    content: bytes,
    mode: int,
    at: int | None,
    *,
    is_durable: bool = False,
    like: os.stat_result | None = None,
) -> None:
    """Create a file; it is removed again if it cannot be written. With `like` it gets the permissions of that file."""
    descriptor = os.open(path, _NEW, mode, dir_fd=at)
    with ExitStack() as unless_written:
        unless_written.callback(_remove, path, at)
        with os.fdopen(descriptor, "wb") as file:
            if like is not None and sys.platform != "win32":
                os.fchmod(file.fileno(), stat.S_IMODE(like.st_mode) & 0o777)
            file.write(content)
            if is_durable:
                file.flush()
                os.fsync(file.fileno())
        unless_written.pop_all()


def _link_new(staged: str, place: str, at: int | None) -> None:
    """Give a complete file its name, which must be free. Raises FileExistsError and OSError."""
    try:
        os.link(staged, place, src_dir_fd=at, dst_dir_fd=at, follow_symlinks=False)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):  # a file system without hard links
        os.close(os.open(place, _NEW, 0o600, dir_fd=at))
        os.replace(staged, place, src_dir_fd=at, dst_dir_fd=at)


def _remove(path: str, at: int | None) -> None:
    with suppress(OSError):  # the first error is reported
        os.unlink(path, dir_fd=at)
