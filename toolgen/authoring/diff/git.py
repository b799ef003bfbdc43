"""Git: the specs of a commit, written to a folder as they are stored, without filters or hooks."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.authoring.diff.errors import DiffError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_BRANCHES: Final = ("refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master")
_REMOTE_HEAD: Final = "refs/remotes/origin/HEAD"
_FILE_MODES: Final = (b"100644", b"100755")
_LINK_MODE: Final = b"120000"
_OF_A_REPOSITORY: Final = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_PREFIX", "GIT_INDEX_FILE"})
"""Variables that name a repository, which git sets for hooks: here the folder decides."""

_MISSING: Final = "git is not installed: compare with a folder or a package, `--against DIR`"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit. `time` is that of the committer, in seconds since 1970; `subject` the first line of its message."""

    id: str
    short: str
    time: int
    subject: str


class Repository:
    """The git repository of a folder. Raises DiffError where there is none."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        found = self._run("rev-parse", "--show-prefix")
        if found is None:
            raise DiffError(
                f"{folder} is in no git repository, so there is no commit to compare with: "
                "name a folder or a package, `--against DIR`"
            )
        self.prefix = found.strip("\n")
        """The path of the folder below the top of the working tree, with `/` at its end; empty for the top."""

    def default_commit(self) -> str:
        """Return the commit where the working tree left the default branch. Raises DiffError."""
        for branch in (_REMOTE_HEAD, *_BRANCHES):
            if self._run("rev-parse", "--verify", "--quiet", branch) is None:
                continue
            found = self._run("merge-base", "HEAD", branch)
            if found is None:
                raise DiffError(
                    f"HEAD and {_short(branch)} have no common commit: name one, `--against REF`. "
                    "In CI, fetch the whole history (`fetch-depth: 0`)"
                )
            return found.strip()
        raise DiffError("there is no branch `main` or `master` to compare with: name one, `--against REF`")

    def commit(self, ref: str) -> str | None:
        """Return the commit that a name refers to; None if there is none."""
        found = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        return found.strip() if found else None

    def state_files(self) -> list[Path]:
        """Return the files that tell when HEAD or the default branch moves; some may not be there."""
        names = ("HEAD", "logs/HEAD", "packed-refs", _REMOTE_HEAD, *_BRANCHES)
        found = self._run("rev-parse", *(word for name in names for word in ("--git-path", name)))
        return [self._folder / line for line in (found or "").splitlines()]

    def describe(self, commit: str) -> str:
        """Return a short name of a commit."""
        return (self._run("rev-parse", "--short", commit) or commit).strip()

    def history(self, paths: Iterable[str], count: int) -> list[Commit]:
        """Return the last commits on the first-parent line of HEAD that changed any of `paths`, the newest first."""
        wanted = [f"{self.prefix}{'' if path == '.' else path}" or "." for path in paths]
        output = self._bytes(
            "log", "--first-parent", f"--max-count={count}", "-z", "--format=%H%x00%h%x00%ct%x00%s", "HEAD", "--",
            *(f":(top,literal){path}" for path in wanted),
        )  # fmt: skip
        parts = output.decode(errors="replace").split("\0")
        rows = (parts[at : at + 4] for at in range(0, len(parts) - 3, 4))
        return [Commit(id_, short, int(time), subject) for id_, short, time, subject in rows]

    def read(self, commits: Iterable[str], path: str) -> list[tuple[str, bytes]]:
        """Return the id and content of a file or a folder in each commit; both empty where it is not there.

        `path` is relative to the folder of the repository. The content of a folder is its list of entries.
        """
        inside = f"{self.prefix}{'' if path == '.' else path}".rstrip("/")
        names = [f"{commit}:{inside}".encode() for commit in commits]
        output = self._bytes("cat-file", "--batch", given=b"\n".join((*names, b"")))
        found: list[tuple[str, bytes]] = []
        at = 0
        for _ in names:
            end = output.index(b"\n", at)
            words = output[at:end].rsplit(b" ", 2)
            at = end + 1
            if words[-1] == b"missing":
                found.append(("", b""))
                continue
            found.append((words[0].decode(), output[at : at + int(words[-1])]))
            at += int(words[-1]) + 1
        return found

    def extract(self, commit: str, paths: Iterable[str], folder: Path) -> None:
        """Write files of a commit to a folder. `paths` are files and folders, relative to the folder of the repository.

        Names and links are written as they are stored, below `folder` only. Raises DiffError.
        """
        blobs = list(self._listed(commit, paths))
        contents = self._contents([blob for _, _, blob in blobs])
        for (path, mode, _), content in zip(blobs, contents, strict=True):
            place = folder / os.fsdecode(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            if mode == _LINK_MODE:
                place.symlink_to(os.fsdecode(content))
            else:
                place.write_bytes(content)

    def _listed(self, commit: str, paths: Iterable[str]) -> Iterator[tuple[bytes, bytes, bytes]]:
        wanted = [f"{self.prefix}{'' if path == '.' else path}".rstrip("/") for path in paths]
        limits = ("--", *wanted) if all(wanted) else ()
        output = self._bytes("ls-tree", "-r", "-z", "--full-tree", commit, *limits)
        for line in output.split(b"\0"):
            if not line:
                continue
            head, _, name = line.partition(b"\t")
            mode, _, blob = head.split(b" ")
            if mode not in (*_FILE_MODES, _LINK_MODE):
                continue
            path = name.removeprefix(self.prefix.encode())
            if b".." in path.split(b"/") or path.startswith(b"/"):
                raise DiffError(f"the commit {commit} has a path that leads out of it: {path.decode(errors='replace')}")
            yield path, mode, blob

    def _contents(self, blobs: list[bytes]) -> Iterator[bytes]:
        output = self._bytes("cat-file", "--batch", given=b"\n".join((*blobs, b"")))
        at = 0
        for _ in blobs:
            end = output.index(b"\n", at)
            size = int(output[at:end].split(b" ")[2])
            yield output[end + 1 : end + 1 + size]
            at = end + 1 + size + 1

    def _run(self, *arguments: str) -> str | None:
        """Return the output of git; None if it failed."""
        done = self._start(arguments, b"")
        return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else None

    def _bytes(self, *arguments: str, given: bytes = b"") -> bytes:
        done = self._start(arguments, given)
        if done.returncode:
            raise DiffError(f"`git {arguments[0]}` failed: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout

    def _start(self, arguments: tuple[str, ...], given: bytes) -> subprocess.CompletedProcess[bytes]:
        command = ["git", "--no-pager", "-C", str(self._folder), *arguments]
        own = {name: value for name, value in os.environ.items() if name not in _OF_A_REPOSITORY}
        try:
            return subprocess.run(command, input=given, capture_output=True, check=False, env=own)  # noqa: S603 (no shell)
        except FileNotFoundError:
            raise DiffError(_MISSING) from None


def _short(branch: str) -> str:
    return branch.removeprefix("refs/remotes/").removeprefix("refs/heads/")


def folder_in_repository(folder: Path) -> str:
    """Return the path of a folder below the top of its repository, with `/` at its end; empty where it is in none."""
    try:
        return Repository(folder).prefix
    except DiffError:
        return ""
