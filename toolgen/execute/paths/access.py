"""Access to paths: checks the paths of one call against a policy and the call's grants, and opens them.

A path is resolved once. Exactly the judged path is opened: the resolved path, without following links.
"""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Final

from toolgen.contract.records import FailureKind
from toolgen.execute.paths.opening import Changed, Folder, NotAFile, open_folder
from toolgen.runtime.base.errors import CallFailed, rejected
from toolgen.runtime.policy.paths.policy import Concern
from toolgen.runtime.policy.paths.resolution import FileKind
from toolgen.runtime.policy.paths.rules import is_within

if TYPE_CHECKING:
    from collections.abc import Collection, Generator

    from toolgen.runtime.policy.paths.policy import PathAnswer, PathPolicy

_LONGEST_NAME: Final = 120
_DENIED_HINT: Final = "go on without it, or ask the user"
_REFUSALS: Final = {
    Concern.SENSITIVE: ("sensitive_path", "is sensitive"),
    Concern.HARD_LINKED: ("sensitive_path", "has other names (hard links), one of which may be sensitive"),
    Concern.OUTSIDE_ROOTS: ("outside_roots", "is outside the folders that may be written to"),
    Concern.OUTSIDE_PROJECT: ("outside_project", "is outside the project"),
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
        if answer.write_concern is not Concern.OUTSIDE_ROOTS:
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
        with failures(answer.given):
            file = folder.open_file(name)
        if answer.read_concern is None and not self._policy.is_safe_to_read(os.fstat(file.fileno()).st_nlink):
            file.close()  # replaced by a hard link after the check
            raise refused(Concern.HARD_LINKED, answer.given)
        return file

    def open_folder(self, answer: PathAnswer) -> Folder:
        """Open a checked folder. Raises `file_not_found`, `not_a_folder`."""
        if answer.kind is FileKind.MISSING:
            raise rejected("file_not_found", f"{shown(answer.given)} does not exist")
        with failures(answer.given):
            return open_folder(answer.resolved)

    @contextmanager
    def open_parent(self, answer: PathAnswer, *, create: bool = False) -> Generator[tuple[Folder, str]]:
        """Open the folder of a checked file, and return it with the file's name.

        Raises `file_not_found`, `not_a_file`.
        """
        parent, _, name = answer.resolved.rpartition("/")
        if not name or answer.given.endswith("/"):
            raise rejected("not_a_file", f"{shown(answer.given)} is a folder")
        with failures(answer.given):
            folder = open_folder(parent, create=create)
        with folder:
            yield folder, name

    def _policy_decision(self, path: str, base: str | None) -> PathAnswer:
        answer = self._policy.judge(path, base=base)
        if answer.problem is not None:
            message = f"{shown(path)} is not a usable path: {answer.problem.value}"
            raise CallFailed(FailureKind.INVALID_CALL, "invalid_path", message, "use a path relative to the project")
        return answer

    def _check(self, answer: PathAnswer, concern: Concern | None) -> None:
        if concern is not None and not self._covers(answer, concern):
            raise refused(concern, answer.given)

    def _covers(self, answer: PathAnswer, concern: Concern) -> bool:
        """Whether a grant lifts a concern."""
        if answer.resolved in self._granted:
            return True
        above = (granted for granted in self._granted if is_within(answer.resolved, granted))
        if concern in (Concern.SENSITIVE, Concern.HARD_LINKED):
            return any(self._policy.judge(granted).sensitive for granted in above)
        return any(above)


def refused(concern: Concern, path: str) -> CallFailed:
    """Return the error for a path that needs permission."""
    code, why = _REFUSALS[concern]
    return CallFailed(
        FailureKind.PERMISSION_DENIED, code, f"{shown(path)} {why}, and permission was not granted", _DENIED_HINT
    )


def shown(path: str) -> str:
    """Quote a path; of a long one only the last part."""
    return repr(path if len(path) <= _LONGEST_NAME else f"…{path[1 - _LONGEST_NAME :]}")


@contextmanager
def failures(path: str) -> Generator[None]:
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
