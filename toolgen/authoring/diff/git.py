"""Git: the specs of a commit, written to a folder as they are stored. The one place where git is started.

A repository may be hostile: its configuration, hooks, attributes and remotes can name programs. So only commands are
used that read objects and references (plumbing), none that looks at the index or the working tree, that signs, pages or
filters; what could still start a program is overridden, and nothing is fetched.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from tempfile import TemporaryFile
from threading import Timer
from typing import IO, TYPE_CHECKING, Final

from toolgen.compiler.project.listing import LARGEST, SUFFIXES
from toolgen.contract.picklable import Picklable
from toolgen.spec.text import lines_of, visible
from toolgen.spec.writing import link_inside, write_inside

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.compiler.diagnostics import Diagnostic


# Errors of a comparison that a person can act on.


class DiffError(Exception):
    """A comparison is not possible; the message says what is wrong, and how to fix it."""


class NoRepository(DiffError):
    """A folder is in no git repository."""


class SpecsError(Picklable, DiffError):
    """The specs of one version have errors. `diagnostics` are all of them; `sources` the texts that they refer to."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic], sources: Mapping[str, str]) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics
        self.sources = sources


_BRANCHES: Final = ("refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master")
_REMOTE_HEAD: Final = "refs/remotes/origin/HEAD"
_FILE_MODES: Final = (b"100644", b"100755")
_LINK_MODE: Final = b"120000"
_SUBMODULE_MODE: Final = b"160000"
_COMMANDS: Final = frozenset({"cat-file", "ls-tree", "merge-base", "rev-list", "rev-parse"})
"""All commands that are started."""

_SETTINGS: Final = {
    "safe.bareRepository": "explicit",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.pager": "cat",
    "core.editor": "false",
    "core.askPass": "false",
    "core.sshCommand": "false",
    "core.gitProxy": "false",
    "core.alternateRefsCommand": "false",
    "credential.helper": "",
    "diff.external": "",
    "gpg.program": "false",
    "log.showSignature": "false",
    "protocol.allow": "never",
    "fetch.recurseSubmodules": "false",
    "submodule.recurse": "false",
    "maintenance.auto": "false",
    "gc.auto": "0",
}
"""Settings that are not those of the repository, whatever it says. The commands above look at few of them."""

_KEPT: Final = re.compile(
    r"GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|EXEC_PATH|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM)"
)
"""Variables of git that are the user's own. Others, such as those that git sets for hooks, name a repository."""

_ENVIRONMENT: Final = {
    "GIT_ALLOW_PROTOCOL": "none",  # of objects that are missing in a partial clone
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",  # what it says is wrong is looked at
}
_OF_A_BARE_ONE: Final = ("objects", "refs", "commondir")
_SECONDS: Final = 300
"""How long git may take, such as with a pipe in place of one of its files."""

_OUTPUT: Final = 256 * 1024 * 1024
"""Bytes that git may print, and bytes of the files of one commit: a small repository can stand for any number."""

_ERRORS: Final = 64 * 1024
"""Bytes that are read of what git says is wrong."""

_YEAR_9999: Final = 253_402_300_799

_INCOMPLETE: Final = "the repository is damaged, or a partial clone: clone it again, without `--filter`"

_MISSING: Final = "git is not installed: compare with a folder or a package, `--against DIR`"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit. `time` is that of the committer, in seconds since 1970; `subject` the first line of its message."""

    id: str
    short: str
    time: int
    subject: str


class Repository:
    """The git repository of a folder. Raises NoRepository if there is none, and DiffError for one that git refuses."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        _refuse_bare(folder)
        found = self._start(("rev-parse", "--show-prefix"), b"")
        if found.returncode:
            if not _is_in_one(folder):
                raise NoRepository(
                    f"{folder} is in no git repository, so there is no commit to compare with: "
                    "name a folder or a package, `--against DIR`"
                )
            raise DiffError(f"git does not read the repository of {folder}: {_said(found.stderr)}")
        self.prefix = found.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")
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
        found = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", ref)  # `:/text` takes what follows it
        commit = found and self._run("rev-parse", "--verify", "--quiet", f"{found.strip()}^{{commit}}")
        return commit.strip() if commit else None

    def state_files(self) -> list[Path]:
        """Return the files that tell when HEAD or the default branch moves; some may not be there."""
        names = ("HEAD", "logs/HEAD", "packed-refs", _REMOTE_HEAD, *_BRANCHES)
        found = self._run("rev-parse", *(word for name in names for word in ("--git-path", name)))
        return [self._folder / line for line in found.removesuffix("\n").split("\n")] if found else []

    def describe(self, commit: str) -> str:
        """Return a short name of a commit."""
        return (self._run("rev-parse", "--short", commit) or commit).strip()

    def history(self, paths: Iterable[str], count: int) -> list[Commit]:
        """Return the last commits on the first-parent line of HEAD that changed any of `paths`, the newest first."""
        wanted = [f"{self.prefix}{'' if path == '.' else path}" or "." for path in paths]
        output = self._bytes(
            "rev-list", "--first-parent", f"--max-count={count}", "--format=%x00%H%x00%h%x00%ct%x00%s", "HEAD", "--",
            *(f":(top,literal){path}" for path in wanted),
        )  # fmt: skip
        parts = output.decode(errors="replace").split("\0")[1:]
        rows = (parts[at : at + 4] for at in range(0, len(parts) - 3, 4))
        return [
            Commit(id_, short, min(int(time), _YEAR_9999), text.partition("\n")[0]) for id_, short, time, text in rows
        ]

    def read(self, commits: Iterable[str], path: str) -> list[tuple[str, bytes]]:
        """Return the id and content of a file or a folder in each commit; both empty where it is not there.

        `path` is relative to the folder of the repository. The content of a folder is its list of entries. Raises
        DiffError.
        """
        inside = f"{self.prefix}{'' if path == '.' else path}".rstrip("/")
        if "\n" in inside:
            raise DiffError(f"{visible(inside)} has a line break in its name, which git does not look up")
        found = self._sizes([os.fsencode(f"{commit}:{inside}") for commit in commits])
        contents = dict(self._contents({id_ for id_, kind, size in found if size <= LARGEST and kind == b"blob"}))
        return [(id_.decode(), contents.get(id_, b"")) for id_, _, _ in found]

    def moved_projects(self, commit: str, names: Collection[str]) -> list[str]:
        """Return the folders of a commit with a file of one of these names that the working tree does not have there.

        They are relative to the top of the working tree. Raises DiffError.
        """
        output = self._bytes("ls-tree", "-r", "-z", "--full-tree", "--name-only", commit)
        files = (PurePosixPath(os.fsdecode(path)) for path in output.split(b"\0"))
        top = self._folder.resolve()
        for _ in filter(None, self.prefix.split("/")):
            top = top.parent
        found = {str(file.parent) for file in files if file.name in names}
        return sorted(each for each in found if not any(os.path.lexists(top / each / name) for name in names))

    def extract(self, commit: str, paths: Iterable[str], folder: Path) -> None:
        """Write files of a commit to a folder. `paths` are files and folders, relative to the folder of the repository.

        Names and links are written as they are stored, below `folder` only. Files that are too large to be read as
        specs are left out. Raises DiffError, also for a spec that is too large.
        """
        listed = list(self._listed(commit, paths))
        sizes = {id_: size for id_, _, size in self._sizes([blob for _, _, blob in listed])}
        if any(blob not in sizes for _, _, blob in listed):
            raise DiffError(f"the commit {commit} is not complete here: {_INCOMPLETE}")
        for path, _, blob in listed:
            name = os.fsdecode(path)
            if sizes[blob] > LARGEST and name.lower().endswith((*SUFFIXES, ".toml")):
                raise DiffError(f"{name} of the commit {commit} is over {LARGEST:,} bytes: split it into several files")
        blobs = [each for each in listed if sizes[each[2]] <= LARGEST]
        if sum(sizes[blob] for _, _, blob in blobs) > _OUTPUT:
            raise DiffError(f"the specs of the commit {commit} are over {_OUTPUT:,} bytes")
        contents = dict(self._contents({blob for _, _, blob in blobs}))
        for path, mode, blob in blobs:
            name, content = os.fsdecode(path), contents[blob]
            try:
                if mode == _LINK_MODE:
                    link_inside(folder, name, os.fsdecode(content))
                else:
                    write_inside(folder, name, content, is_new=True)
            except (OSError, ValueError) as error:  # a file below a link or a file, twice the same name, NUL in a link
                why = error.strerror if isinstance(error, OSError) else error
                raise DiffError(f"the commit {commit} is damaged: {name} cannot be written: {why}") from None

    def _listed(self, commit: str, paths: Iterable[str]) -> Iterator[tuple[bytes, bytes, bytes]]:
        wanted = [f"{self.prefix}{'' if path == '.' else path}".rstrip("/") for path in paths]
        limits = ("--", *wanted) if all(wanted) else ()
        output = self._bytes("ls-tree", "-r", "-z", "--full-tree", commit, *limits)
        for line in output.split(b"\0"):
            if not line:
                continue
            head, _, name = line.partition(b"\t")
            mode, _, blob = head.split(b" ")
            if mode == _SUBMODULE_MODE:
                raise DiffError(
                    f"{os.fsdecode(name)} of the commit {commit} is a submodule, so its files are elsewhere: "
                    "check both out, and compare with that folder, `--against DIR`"
                )
            if mode not in (*_FILE_MODES, _LINK_MODE):
                continue
            path = name.removeprefix(os.fsencode(self.prefix))
            if b".." in path.split(b"/") or path.startswith(b"/"):
                raise DiffError(f"the commit {commit} has a path that leads out of it: {path.decode(errors='replace')}")
            yield path, mode, blob

    def _sizes(self, names: list[bytes]) -> list[tuple[bytes, bytes, int]]:
        """Return the id, the kind and the size of objects; empty and 0 where there is none."""
        output = self._bytes("cat-file", "--batch-check", given=b"\n".join((*names, b"")))
        rows = (line.rsplit(b" ", 2) for line in output.split(b"\n")[:-1])
        return [(row[0], row[1], int(row[2])) if row[-1].isdigit() else (b"", b"", 0) for row in rows]

    def _contents(self, objects: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
        """Yield the id and the content of objects that there are."""
        ids = sorted(objects)
        output = self._bytes("cat-file", "--batch", given=b"\n".join((*ids, b"")))
        at = 0
        for id_ in ids:
            end = output.index(b"\n", at)
            size = int(output[at:end].split(b" ")[2])
            yield id_, output[end + 1 : end + 1 + size]
            at = end + 1 + size + 1

    def _run(self, *arguments: str) -> str | None:
        """Return the output of git; None if it failed."""
        done = self._start(arguments, b"")
        return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else None

    def _bytes(self, *arguments: str, given: bytes = b"") -> bytes:
        done = self._start(arguments, given)
        if done.returncode:
            advice = f": {_INCOMPLETE}" if b"promisor" in done.stderr else ""
            raise DiffError(f"`git {arguments[0]}` failed: {_said(done.stderr)}{advice}")
        return done.stdout

    def _start(self, arguments: tuple[str, ...], given: bytes) -> subprocess.CompletedProcess[bytes]:
        assert arguments[0] in _COMMANDS, arguments
        settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
        command = ["git", "--no-pager", "--no-replace-objects", *settings, "-C", str(self._folder), *arguments]
        own = {
            name: value for name, value in os.environ.items() if not name.startswith("GIT_") or _KEPT.fullmatch(name)
        }
        try:
            with TemporaryFile() as stdin, TemporaryFile() as stderr:
                stdin.write(given)
                stdin.seek(0)
                done = self._bounded(command, own | _ENVIRONMENT, stdin, stderr)
                stderr.seek(0)
                return subprocess.CompletedProcess(command, *done, stderr.read(_ERRORS))
        except FileNotFoundError:
            raise DiffError(_MISSING) from None

    def _bounded(
        self, command: list[str], environment: dict[str, str], stdin: IO[bytes], stderr: IO[bytes]
    ) -> tuple[int, bytes]:
        """Return the exit code and the output of git. Raises DiffError where it takes too long or prints too much."""
        too_late: list[bool] = []
        with subprocess.Popen(  # noqa: S603  # no shell
            command, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, env=environment
        ) as process:
            assert process.stdout is not None

            def end() -> None:
                too_late.append(True)
                process.kill()

            timer = Timer(_SECONDS, end)
            timer.daemon = True
            timer.start()
            try:
                output = process.stdout.read(_OUTPUT + 1)
                if len(output) > _OUTPUT:
                    process.kill()
                code = process.wait()
            finally:
                timer.cancel()
                process.kill()
        name = next(each for each in command if each in _COMMANDS)
        if too_late:
            raise DiffError(f"`git {name}` took longer than {_SECONDS} seconds")
        if len(output) > _OUTPUT:
            raise DiffError(f"`git {name}` printed more than {_OUTPUT:,} bytes: the repository is too large to compare")
        return code, output


def _refuse_bare(folder: Path) -> None:
    """Raise DiffError where git would take a folder as a repository that is not one of `.git`.

    Such a folder can be a part of another repository, and so come with a clone, with settings of its own. Git before
    2.38 does not know `safe.bareRepository`.
    """
    real = folder.resolve()
    for place in (real, *real.parents):
        if os.path.lexists(place / ".git"):
            return
        if os.path.lexists(place / "HEAD") and any(os.path.lexists(place / name) for name in _OF_A_BARE_ONE):
            raise DiffError(
                f"{place} looks like a bare git repository, which is not looked at: compare in a clone with a working "
                "tree, or name a folder or a package, `--against DIR`"
            )


def _is_in_one(folder: Path) -> bool:
    """Whether a folder is in the working tree of a repository, one that git does not read too."""
    real = folder.resolve()
    return any(os.path.lexists(place / ".git") for place in (real, *real.parents))


def _said(stderr: bytes) -> str:
    """Return what git says is wrong, on one line, with what it advises."""
    return " ".join(visible(line.strip()) for line in lines_of(stderr.decode(errors="replace")) if line.strip())


def _short(branch: str) -> str:
    return branch.removeprefix("refs/remotes/").removeprefix("refs/heads/")


def folder_in_repository(folder: Path) -> str:
    """Return the path of a folder below the top of its repository, with `/` at its end; empty where it is in none."""
    try:
        return Repository(folder).prefix
    except DiffError:
        return ""
