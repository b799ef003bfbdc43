"""History: what each commit changed, by the rules of `toolgen diff`, for each tool and for the whole project."""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from toolgen.authoring.diff.compare import compare_sides
from toolgen.authoring.diff.errors import DiffError
from toolgen.authoring.diff.git import Repository
from toolgen.authoring.diff.sides import Side, other_side, working_tree
from toolgen.compiler.config import OWN_FILE, PROJECT_FILE, ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from toolgen.authoring.diff.compare import Located
    from toolgen.authoring.diff.git import Commit
    from toolgen.changes.change import Change
    from toolgen.compiler.config import Config

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
    """The versions, the newest first. `problem` says why there are none."""

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
        commits = repository.history([OWN_FILE, PROJECT_FILE, *(target.specs for target in config.targets)], count)
    except DiffError as error:
        return History(problem=str(error))
    with ExitStack() as stack:
        return History(tuple(reversed(list(_versions(config, repository, commits, stack, progress)))))


def _versions(
    config: Config, repository: Repository, commits: Sequence[Commit], stack: ExitStack, progress: Callable[[str], None]
) -> Iterator[VersionChanges]:
    """Yield the changes of each version, the oldest first."""
    before: Side | None = Side("nothing", {})
    if commits and (first := repository.parent(commits[-1].id)):
        before, _ = _side(config, first, stack)
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
    if before is not None and (now := _compared(Version("", "", "Not committed"), before, working_tree(config))).changes:
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
