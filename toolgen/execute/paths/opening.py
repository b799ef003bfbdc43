"""Open folders, reached from the root name by name without following links, and the files inside them.

An open folder stays the one that was checked, even if its path changes meaning. All functions raise OSError.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from toolgen.runtime.policy.paths.resolution import FileKind

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from types import TracebackType


class NotAFile(OSError):
    """The path exists, but is not a regular file: a folder, a device, a pipe, a socket, or a link."""


class Changed(OSError):
    """A file is no longer the one that was read."""


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """One name in a folder, and what it is; links are not followed, and count as links."""

    name: str
    kind: FileKind
    is_link: bool


class Folder:
    """An open folder; a context manager that closes it. `path` is where it was when it was opened.

    Names are single ones: no slash, no `..`. `new_name` makes the names of temporary files.
    """

    def __init__(self, descriptor: int, path: str, new_name: Callable[[], str] = lambda: secrets.token_hex(8)) -> None:
        self._descriptor = descriptor
        self._new_name = new_name
        self.path = path

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    @property
    def working_directory(self) -> str:
        """A path by which a child process finds this very folder while it is open, if the system supports that."""
        own = f"/proc/self/fd/{self._descriptor}"
        return own if os.path.isdir(own) else self.path  # noqa: PTH112  # pathlib does not support dir_fd

    def open_folder(self, name: str, *, create: bool = False) -> Folder:
        """Open a subfolder; with `create`, create it if it is missing."""
        if create:
            with suppress(FileExistsError):
                os.mkdir(_single(name), dir_fd=self._descriptor)
        descriptor = os.open(_single(name), _folder_flags(), dir_fd=self._descriptor)
        return Folder(descriptor, f"{self.path.rstrip('/')}/{name}", self._new_name)

    def open_below(self, names: Sequence[str], *, create: bool = False) -> Folder:
        """Open a folder some levels below; without names, this one again."""
        folder = Folder(os.dup(self._descriptor), self.path, self._new_name)
        for name in names:
            with folder as above:
                folder = above.open_folder(name, create=create)
        return folder

    def entries(self) -> list[FolderEntry]:
        """List the folder, sorted by name."""
        readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._descriptor)
        try:
            with os.scandir(readable) as found:
                return sorted((_entry(entry) for entry in found), key=lambda entry: entry.name)
        finally:
            os.close(readable)

    def open_file(self, name: str) -> IO[bytes]:
        """Open a regular file for reading. Never blocks on pipes and devices."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        try:
            descriptor = os.open(_single(name), flags, dir_fd=self._descriptor)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO):
                raise NotAFile(error.errno, "not a regular file") from error
            raise
        with ExitStack() as unless_opened:
            unless_opened.callback(os.close, descriptor)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise NotAFile(errno.EINVAL, "not a regular file")
            file = os.fdopen(descriptor, "rb")
            unless_opened.pop_all()
        return file

    def create_file(self, name: str, content: bytes) -> None:
        """Create a file. Raises FileExistsError if the name exists."""
        with self._new_file(_single(name), 0o666) as descriptor:
            _write(descriptor, content)

    def replace_file(self, name: str, content: bytes, *, previous: os.stat_result | None = None) -> None:
        """Replace a file atomically: readers see the old content or the new one.

        Permissions are kept, and the owner if this user may change owners; access control lists are not. `previous` is
        the status of the file when it was read: raises `Changed` if it is another one now. A link is replaced, not
        followed.
        """
        now = os.stat(_single(name), dir_fd=self._descriptor, follow_symlinks=False)
        if not stat.S_ISREG(now.st_mode):
            raise NotAFile(errno.EINVAL, "not a regular file")
        if previous is not None and _version(previous) != _version(now):
            raise Changed(errno.EBUSY, "changed meanwhile")
        temporary = f".{self._new_name()}.tmp"
        with self._new_file(temporary, 0o600) as descriptor:
            _write(descriptor, content, like=now)
            os.replace(temporary, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)

    @contextmanager
    def _new_file(self, name: str, mode: int) -> Generator[int]:
        """Create a file, whose descriptor `_write` closes; it is removed if an exception is raised in the context."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(name, flags, mode, dir_fd=self._descriptor)
        with ExitStack() as unless_done:
            unless_done.callback(os.unlink, name, dir_fd=self._descriptor)
            yield descriptor
            unless_done.pop_all()


def open_folder(path: str, *, create: bool = False) -> Folder:
    """Open a folder by a resolved path; with `create`, create missing parts.

    Raises OSError if a part of the path has become a link: links are not followed.
    """
    with Folder(os.open("/", _folder_flags()), "/") as root:
        return root.open_below([name for name in path.split("/") if name], create=create)


def _folder_flags() -> int:
    # Intermediate folders need not be readable: Linux has a flag for that.
    return getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def _single(name: str) -> str:
    if name in ("", ".", "..") or "/" in name:
        raise ValueError(f"{name!r} is not a single name")
    return name


def _entry(entry: os.DirEntry[str]) -> FolderEntry:
    if entry.is_dir(follow_symlinks=False):
        kind = FileKind.FOLDER
    else:
        kind = FileKind.FILE if entry.is_file(follow_symlinks=False) else FileKind.OTHER
    return FolderEntry(entry.name, kind, entry.is_symlink())


def _write(descriptor: int, content: bytes, *, like: os.stat_result | None = None) -> None:
    """Write all of a new file, and close it. With `like`, it gets that file's owner and permissions."""
    with os.fdopen(descriptor, "wb") as file:
        if like is not None:
            _copy_owner_and_mode(descriptor, like)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _copy_owner_and_mode(descriptor: int, like: os.stat_result) -> None:
    own = os.fstat(descriptor)
    if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
        with suppress(PermissionError):  # only root can change owners; for others the file becomes theirs
            os.fchown(descriptor, like.st_uid, like.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(like.st_mode))


def _version(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
