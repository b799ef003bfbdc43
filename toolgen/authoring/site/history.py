"""History: what each commit changed, by the rules of `toolgen diff`, for each tool and for the whole project."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.diff.compare import compare_sides
from toolgen.authoring.diff.git import DiffError, Repository
from toolgen.authoring.diff.sides import Side, other_side, working_tree
from toolgen.compiler.project.config import PROJECT_FILE, ConfigError
from toolgen.spec.toml_text import read_toml

if TYPE_CHECKING:
    from toolgen.authoring.diff.compare import Located
    from toolgen.authoring.diff.git import Commit
    from toolgen.changes.rules import Change
    from toolgen.compiler.project.config import Config

_READ: Final = 10
"""How many times more commits are read than shown, where settings of others are in the same file."""

_NO_REPOSITORY: Final = "the project is in no git repository with commits"

_SHOWN: Final = 200
"""Maximum changes of one commit that are listed on the page of all changes."""


@dataclass(frozen=True, slots=True)
class Version:
    """A commit, or the working tree, which has neither id nor date. `date` is `2026-01-31`, in UTC."""

    short: str
    date: str
    subject: str


@dataclass(frozen=True, slots=True)
class ToolChange:
    """The changes of one tool in one version."""

    version: Version
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class VersionChanges:
    """All changes of one version, or why it could not be compared with the one before it."""

    version: Version
    changes: tuple[Change, ...]
    problem: str = ""

    @property
    def listed(self) -> tuple[Change, ...]:
        """The changes to list."""
        return self.changes[:_SHOWN]

    @property
    def left_out(self) -> int:
        """How many changes are not listed."""
        return len(self.changes) - len(self.listed)


@dataclass(frozen=True, slots=True)
class History:
    """The versions that changed anything, the newest first. `problem` says why there are none."""

    versions: tuple[VersionChanges, ...] = ()
    problem: str = ""

    def by_subject(self) -> Mapping[str, list[ToolChange]]:
        """Return the changes of each tool, and of whatever else changed, the newest first."""
        found: defaultdict[str, list[ToolChange]] = defaultdict(list)
        for each in self.versions:
            subjects: defaultdict[str, list[Change]] = defaultdict(list)
            for change in each.changes:
                subjects[change.subject].append(change)
            for subject, changes in subjects.items():
                found[subject].append(ToolChange(each.version, tuple(changes)))
        return found


def read_history(config: Config, count: int, progress: Callable[[str], None]) -> History:
    """Compare the last commits that changed the specs with the versions before them, and the working tree with HEAD.

    A commit whose specs have errors is not compared; the next one is compared with the last that had none.
    """
    if not count:
        return History()
    try:
        repository = Repository(config.root)
        commits = _commits(config, repository, count)
    except DiffError:
        return History(problem=_NO_REPOSITORY if shutil.which("git") else "git is not installed")
    with ExitStack() as stack:
        found = list(_versions(config, repository, commits, stack, progress))
    return History(tuple(each for each in reversed(found) if each.changes or each.problem))


def _commits(config: Config, repository: Repository, count: int) -> list[Commit]:
    """Return the last commits that changed the specs or the settings of toolgen, the newest first.

    Most changes of a `pyproject.toml` are of other settings; so more commits are read, and compared by what they hold.
    """
    specs = sorted({target.specs for target in config.targets})
    settings = [config.file] if config.file else []
    found = repository.history([*settings, *specs], count * (_READ if config.file == PROJECT_FILE else 1))
    if config.file != PROJECT_FILE:
        return found
    before = [f"{commit.id}^" for commit in found]
    after = [commit.id for commit in found]
    states = [
        (_settings(texts[number][1]), *(folder[number][0] for folder in folders))
        for names in (after, before)
        for texts, folders in [(repository.read(names, config.file), [repository.read(names, each) for each in specs])]
        for number in range(len(found))
    ]
    changed = (commit for number, commit in enumerate(found) if states[number] != states[number + len(found)])
    return list(changed)[:count]


def _settings(text: bytes) -> Any:
    """Return the settings of toolgen in a `pyproject.toml`; the whole text if it cannot be read."""
    try:
        return read_toml(text.decode()).get("tool", {}).get("toolgen")
    except (ValueError, RecursionError):
        return text


def _versions(
    config: Config, repository: Repository, commits: Sequence[Commit], stack: ExitStack, progress: Callable[[str], None]
) -> Iterator[VersionChanges]:
    """Yield the changes of each version, the oldest first."""
    before: Side | None = Side("nothing", {})
    if commits and repository.commit(f"{commits[-1].id}^1"):
        before, _ = _side(config, f"{commits[-1].id}^1", stack)
    for commit in reversed(commits):
        progress(f"comparing {commit.short}")
        date = datetime.fromtimestamp(commit.time, UTC).date().isoformat()
        version = Version(commit.short, date, commit.subject)
        after, problem = _side(config, commit.id, stack)
        if after is not None:
            yield _compared(version, before, after)
            before = after
        else:
            yield VersionChanges(version, (), problem)
    if (
        before is not None
        and (now := _compared(Version("", "", "Not committed"), before, working_tree(config))).changes
    ):
        yield now


def _side(config: Config, commit: str, stack: ExitStack) -> tuple[Side | None, str]:
    """Return the version of a commit, or why it cannot be read."""
    try:
        return stack.enter_context(other_side(config, commit)), ""
    except (DiffError, ConfigError) as error:
        return None, str(error).partition("\n")[0]


def _compared(version: Version, before: Side | None, after: Side) -> VersionChanges:
    if before is None:
        return VersionChanges(version, (), "the version before it could not be read")
    try:
        found = compare_sides(before, after).changes
    except DiffError as error:
        return VersionChanges(version, (), str(error))
    return VersionChanges(version, tuple(_distinct(found)))


def _distinct(found: Sequence[Located]) -> Iterator[Change]:
    """Yield the changes of all targets; those of a tool of several targets once."""
    seen = set[tuple[str, str, str]]()
    for each in found:
        key = (each.change.code, each.change.subject, each.change.message)
        if key not in seen:
            seen.add(key)
            yield each.change
