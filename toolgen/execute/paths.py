"""Opening files so that no link leads out of their folder."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Final

from toolgen.contract.records import FailureKind
from toolgen.runtime.base.effects import begin_effect, check_call
from toolgen.runtime.base.errors import CallFailed, rejected
from toolgen.runtime.base.processes import ForkSafeLock
from toolgen.runtime.policy.paths import FileKind, PathConcern, is_within
from toolgen.spec.writing import is_read_only

if TYPE_CHECKING:
    from types import TracebackType

    from toolgen.runtime.policy.paths import PathAnswer, PathPolicy


# Open folders, reached from the root name by name without following links, and the files inside them.
#
# An open folder stays the one that was checked, even if its path changes meaning. All functions raise OSError. What
# changes a folder raises `CallEnded` instead, if it would do so for a call that has ended.


class NotAFile(OSError):
    """The path exists, but is not a regular file: a folder, a device, a pipe, a socket, or a link."""


class Changed(OSError):
    """A file is no longer the one that was read."""


_REPLACING: Final = ForkSafeLock()
"""Held while a file is compared and replaced, so that two calls of this process do not lose what one of them wrote."""


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
        if create and not self._has(_single(name)):
            begin_effect()
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=self._descriptor)
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
        """Create a file: readers see it empty at most, and then with its content.

        Raises FileExistsError if the name exists.
        """
        if self._has(_single(name)):
            raise FileExistsError(errno.EEXIST, "exists")
        with self._temporary_file(content, 0o666) as temporary, ExitStack() as unless_done:
            begin_effect()
            os.close(self._create(name, 0o666))
            unless_done.callback(os.unlink, name, dir_fd=self._descriptor)
            self._rename(temporary, name)
            unless_done.pop_all()

    def replace_file(self, name: str, content: bytes, *, previous: os.stat_result | None = None) -> None:
        """Replace a file atomically: readers see the old content or the new one.

        Permissions are kept, and the owner if this user may change owners; access control lists and extended attributes
        are not. `previous` is the status of the file when it was read: raises `Changed` if it is another one when the
        new content takes its place. Raises PermissionError for a file that this user may not write. A link is replaced,
        not followed.
        """
        now = self._status(_single(name))
        if not stat.S_ISREG(now.st_mode):
            raise NotAFile(errno.EINVAL, "not a regular file")
        if is_read_only(now) or not os.access(name, os.W_OK, dir_fd=self._descriptor, effective_ids=True):
            raise PermissionError(errno.EACCES, "not writable")
        with self._temporary_file(content, 0o600, like=now) as temporary, _REPLACING:
            if previous is not None and _version(previous) != _version(self._status(name)):
                raise Changed(errno.EBUSY, "changed meanwhile")
            begin_effect()
            self._rename(temporary, name)

    def _status(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)

    @contextmanager
    def _temporary_file(self, content: bytes, mode: int, *, like: os.stat_result | None = None) -> Generator[str]:
        """Write a file, which is removed if an exception is raised in the context. With `like` it gets its owner."""
        check_call()
        name = f".{self._new_name()}.tmp"
        descriptor = self._create(name, mode)
        with ExitStack() as unless_renamed:
            unless_renamed.callback(os.unlink, name, dir_fd=self._descriptor)
            _write(descriptor, content, like=like)
            yield name
            unless_renamed.pop_all()

    def _create(self, name: str, mode: int) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(name, flags, mode, dir_fd=self._descriptor)

    def _rename(self, name: str, new_name: str) -> None:
        os.replace(name, new_name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)

    def _has(self, name: str) -> bool:
        try:
            self._status(name)
        except FileNotFoundError:
            return False
        return True


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


# Access to paths: checks the paths of one call against a policy and the call's grants, and opens them.
#
# A path is resolved once. Exactly the judged path is opened: the resolved path, without following links.

_LONGEST_NAME: Final = 120
_DENIED_HINT: Final = "go on without it, or ask the user"
_REFUSALS: Final = {
    PathConcern.SENSITIVE: ("sensitive_path", "is sensitive"),
    PathConcern.HARD_LINKED: ("sensitive_path", "has other names (hard links), one of which may be sensitive"),
    PathConcern.OUTSIDE_ROOTS: ("outside_roots", "is outside the folders that may be written to"),
    PathConcern.OUTSIDE_PROJECT: ("outside_project", "is outside the project"),
}


class PathAccess:
    """The path access of one call.

    `granted` are resolved paths that a person allowed for it. A folder includes everything below, but sensitive files,
    and those with hard links, only if the folder itself is sensitive. Every method raises `CallFailed` with a specific
    code.
    """

    def __init__(self, policy: PathPolicy, granted: Collection[str] = ()) -> None:
        self._policy: Final = policy
        self._granted: Final = frozenset(granted)

    def check_read(self, path: str, *, base: str | None = None) -> PathAnswer:
        """Check a path that is to be read or listed. Raises `sensitive_path`, `invalid_path`."""
        answer = self._policy_decision(path, base)
        self._check(answer, answer.read_concern)
        return answer

    def check_search(self, path: str) -> PathAnswer:
        """Check a path whose files are to be searched. Raises `outside_project`, and what `check_read` raises."""
        answer = self._policy_decision(path, None)
        self._check(answer, answer.search_concern)
        return answer

    def check_write(self, path: str, *, base: str | None = None) -> PathAnswer:
        """Check a path that is to be written. Raises `sensitive_path`, `outside_roots`, `invalid_path`."""
        answer = self._policy_decision(path, base)
        self._check(answer, answer.write_concern)
        return answer

    def check_edit(self, path: str) -> PathAnswer:
        """Check a file that is to be changed: read and written. Raises what `check_read` and `check_write` raise."""
        answer = self.check_write(path)
        self._check(answer, answer.read_concern)
        return answer

    def check_working_folder(self, path: str) -> PathAnswer:
        """Check the working directory of a program. Raises as `check_write`; a grant does not lift `outside_roots`."""
        answer = self._policy_decision(path, None)
        if answer.write_concern is not PathConcern.OUTSIDE_ROOTS:
            self._check(answer, answer.write_concern)
        if answer.root is None:
            message = f"{shown(path)} is outside the folders that programs may run in"
            hint = "use a folder of the project"
            raise CallFailed(FailureKind.PERMISSION_DENIED, "outside_roots", message, hint)
        return answer

    def may_read(self, path: str) -> bool:
        """Whether `check_read` accepts a resolved path that is still resolved."""
        answer = self._policy.judge(path)
        return answer.resolved == path and (answer.read_concern is None or self._covers(answer, answer.read_concern))

    def open_file(self, answer: PathAnswer) -> IO[bytes]:
        """Open a checked file for reading. Raises `file_not_found`, `not_a_file`, `sensitive_path`."""
        with self.open_parent(answer) as (folder, name):
            return self.open_inside(folder, name, answer)

    def open_inside(self, folder: Folder, name: str, answer: PathAnswer) -> IO[bytes]:
        """Open a checked file for reading, in its folder from `open_parent`. Raises as `open_file` does."""
        with path_failures(answer.given):
            file = folder.open_file(name)
        if answer.read_concern is None and not self._policy.is_safe_to_read(os.fstat(file.fileno()).st_nlink):
            file.close()  # replaced by a hard link after the check
            raise refused(PathConcern.HARD_LINKED, answer.given)
        return file

    def open_folder(self, answer: PathAnswer) -> Folder:
        """Open a checked folder. Raises `file_not_found`, `not_a_folder`."""
        if answer.kind is FileKind.MISSING:
            raise rejected("file_not_found", f"{shown(answer.given)} does not exist")
        with path_failures(answer.given):
            return open_folder(answer.resolved)

    @contextmanager
    def open_parent(self, answer: PathAnswer, *, create: bool = False) -> Generator[tuple[Folder, str]]:
        """Open the folder of a checked file, and return it with the file's name.

        Raises `file_not_found`, `not_a_file`.
        """
        parent, _, name = answer.resolved.rpartition("/")
        if not name:
            raise rejected("not_a_file", f"{shown(answer.given)} is a folder")
        if answer.given.endswith("/"):
            raise rejected("not_a_file", f"{shown(answer.given)} ends with a slash, as only a folder may", "remove it")
        with path_failures(answer.given):
            folder = open_folder(parent, create=create)
        with folder:
            yield folder, name

    def _policy_decision(self, path: str, base: str | None) -> PathAnswer:
        answer = self._policy.judge(path, base=base)
        if answer.problem is not None:
            message = f"{shown(path)} is not a usable path: {answer.problem.value}"
            raise CallFailed(FailureKind.INVALID_CALL, "invalid_path", message, "use a path relative to the project")
        return answer

    def _check(self, answer: PathAnswer, concern: PathConcern | None) -> None:
        if concern is not None and not self._covers(answer, concern):
            raise refused(concern, answer.given)

    def _covers(self, answer: PathAnswer, concern: PathConcern) -> bool:
        """Whether a grant lifts a concern."""
        if answer.resolved in self._granted:
            return True
        above = (granted for granted in self._granted if is_within(answer.resolved, granted))
        if concern in (PathConcern.SENSITIVE, PathConcern.HARD_LINKED):
            return any(self._policy.judge(granted).sensitive for granted in above)
        return any(above)


def refused(concern: PathConcern, path: str) -> CallFailed:
    """Return the error for a path that needs permission."""
    code, why = _REFUSALS[concern]
    return CallFailed(
        FailureKind.PERMISSION_DENIED, code, f"{shown(path)} {why}, and permission was not granted", _DENIED_HINT
    )


def shown(path: str) -> str:
    """Quote a path; of a long one only the last part."""
    return repr(path if len(path) <= _LONGEST_NAME else f"…{path[1 - _LONGEST_NAME :]}")


@contextmanager
def path_failures(path: str) -> Generator[None]:
    """Convert system errors about a path to errors that a model can act on."""
    try:
        yield
    except OSError as error:
        raise _failure(error, shown(path)) from error


def _failure(error: OSError, path: str) -> CallFailed:
    match error:
        case NotAFile() | IsADirectoryError():
            return rejected("not_a_file", f"{path} is not a regular file", "list a folder with list_dir")
        case Changed():
            return rejected("path_conflict", f"{path} was changed concurrently", "read it again")
        case FileNotFoundError():
            return rejected("file_not_found", f"{path} does not exist", "look for it with list_dir")
        case FileExistsError():
            return rejected("path_conflict", f"{path} exists", "set overwrite to replace it, or choose another name")
        case NotADirectoryError():
            return rejected("not_a_folder", f"{path}: a part of the path is not a folder")
        case PermissionError():
            return rejected("access_denied", f"the system does not allow this with {path}")
        case _ if error.errno == errno.ELOOP:
            return rejected("path_conflict", f"{path} was changed concurrently", "try again")
        case _:
            return rejected("file_system_error", f"{path}: {os.strerror(error.errno or errno.EIO)}")
