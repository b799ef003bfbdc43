"""The path policy: resolves a path, finds its write root, and returns any concern about reading or writing it.

Every answer is about the resolved path, so that all paths to a file have the same answer. An answer is valid only at
that moment; `PathAccess` opens exactly the file that was judged, and nothing that has replaced it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolgen.runtime.policy.paths.resolution import FileKind, PathProblem, Resolution, resolve
from toolgen.runtime.policy.paths.rules import ALWAYS_SENSITIVE, PathRules, SensitivePattern, expand, is_within

if TYPE_CHECKING:
    from toolgen.runtime.policy.policy import Policies


class PathConcern(Enum):
    """Why permission is needed before a path is accessed."""

    SENSITIVE = "sensitive"
    HARD_LINKED = "hard_linked"
    OUTSIDE_ROOTS = "outside_roots"
    OUTSIDE_PROJECT = "outside_project"
    UNUSABLE = "unusable"
    """It cannot be judged, so it cannot be allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathAnswer:
    """The policy's answer for one path.

    `given` is the path in the request, `resolved` is absolute and without links, and `is_in_project` is about that.
    `root` is the write root that contains it, if any; `pattern` the pattern that makes it sensitive, if any. A path
    with a `problem` has neither, is not resolved (`resolved` is empty), and must not be accessed.
    """

    given: str
    resolved: str = ""
    kind: FileKind = FileKind.MISSING
    root: str | None = None
    pattern: str | None = None
    is_in_project: bool = False
    names_unknown: bool = False
    problem: PathProblem | None = None

    @property
    def sensitive(self) -> bool:
        """Whether a pattern matches it."""
        return self.pattern is not None

    @property
    def read_concern(self) -> PathConcern | None:
        """Why permission is needed to read it, independent of its folder."""
        if self.problem is not None:
            return PathConcern.UNUSABLE
        if self.sensitive:
            return PathConcern.SENSITIVE
        return PathConcern.HARD_LINKED if self.names_unknown else None

    @property
    def search_concern(self) -> PathConcern | None:
        """Why permission is needed to read all that is below it."""
        return self.read_concern or (None if self.is_in_project else PathConcern.OUTSIDE_PROJECT)

    @property
    def write_concern(self) -> PathConcern | None:
        """Why permission is needed to write it. Files are replaced, so other hard links are not affected."""
        if self.problem is not None:
            return PathConcern.UNUSABLE
        if self.sensitive:
            return PathConcern.SENSITIVE
        return PathConcern.OUTSIDE_ROOTS if self.root is None else None


class PathPolicy:
    """The path rules of all active policies, for one project. The strictest applies.

    `rules` are those of the host, by default `PathRules()` where no policy is in force. `project` and `home` are
    folders; `home` defaults to that of the current user. `temporary` are the folders that a rule's `tmp` adds: by
    default /tmp and TMPDIR. Write roots are resolved once, here: replacing one with a link later has no effect. Raises
    `UnsupportedSystem` if files cannot be opened relative to a folder.
    """

    def __init__(
        self,
        project: str | os.PathLike[str],
        *,
        rules: Sequence[PathRules] | None = None,
        home: str | os.PathLike[str] | None = None,
        temporary: Sequence[str | os.PathLike[str]] | None = None,
    ) -> None:
        _check_system()
        self._given: Final = project, rules, home, temporary
        rules = (PathRules(),) if rules is None else rules
        given_home = Path.home() if home is None else home
        self.home: Final = _resolved(given_home)
        self.project: Final = _resolved(project)
        folders = ("/tmp", tempfile.gettempdir()) if temporary is None else temporary  # noqa: S108  # named, not used
        self._roots: Final = [self._write_roots(rule, folders) for rule in rules]
        self._hard_links: Final = all(rule.hard_links for rule in rules)
        patterns = [*ALWAYS_SENSITIVE, *dict.fromkeys(text for rule in rules for text in rule.sensitive)]
        homes = (self.home, _absolute(given_home))
        parsed = (
            SensitivePattern.parse(text, project=self.project, home=folder) for text in patterns for folder in homes
        )
        self._patterns: Final = tuple(dict.fromkeys(parsed))

    def under(self, policies: Policies) -> PathPolicy:
        """Return the path policy that has the rules of policies too."""
        _, rules, home, temporary = self._given
        theirs = [PathRules(**each) for each in policies.paths]
        if rules is None:
            return PathPolicy(self.project, rules=theirs or None, home=home, temporary=temporary)
        both = [*rules, *theirs] if rules else []  # without rules nothing may be written, whatever policies say
        return PathPolicy(self.project, rules=both, home=home, temporary=temporary)

    def judge(self, path: str, *, base: str | None = None) -> PathAnswer:
        """Resolve a path, and return any concern about accessing it. A relative path starts at `base`.

        `base` is a resolved folder, by default the project.
        """
        if path:
            found = resolve(expand(path, base=self.project if base is None else base, home=self.home))
        else:
            found = PathProblem.EMPTY
        if isinstance(found, PathProblem):
            return PathAnswer(given=path, problem=found)
        return PathAnswer(
            given=path,
            resolved=found.path,
            kind=found.kind,
            root=self._root_of(found.path),
            pattern=self._pattern_of(found),
            is_in_project=is_within(found.path, self.project),
            names_unknown=not self._hard_links and found.names > 1,
        )

    def is_safe_to_read(self, names: int) -> bool:
        """Whether a file with that many hard links may be read like one with a single name."""
        return self._hard_links or names <= 1

    def _root_of(self, path: str) -> str | None:
        """Return the first write root that contains a path, if every policy has one."""
        holding = [next((root for root in roots if is_within(path, root)), None) for roots in self._roots]
        return holding[0] if holding and None not in holding else None

    def _pattern_of(self, found: Resolution) -> str | None:
        """Return the pattern that makes a path sensitive, by its names, by a followed link, or by its location."""
        passed = (found.path, *found.links)
        for pattern in self._patterns:
            if any(pattern.matches(path) for path in passed) or _lies_in(found, pattern.place):
                return pattern.text
        return None

    def _write_roots(self, rule: PathRules, temporary: Sequence[str | os.PathLike[str]]) -> list[str]:
        named = [expand(root, base=self.project, home=self.home) for root in rule.write_roots]
        return [_resolved(root) for root in (*named, *(temporary if rule.tmp else ()))]


class UnsupportedSystem(RuntimeError):
    """Files cannot be opened relative to a checked folder on this system, so a path policy cannot be enforced."""

    def __init__(self) -> None:
        super().__init__(
            "the path policy needs a POSIX system (Linux, macOS): this one cannot open files relative to a folder"
        )


def _check_system() -> None:
    needed: Collection[object] = (os.open, os.mkdir, os.stat, os.unlink)
    if not (hasattr(os, "O_NOFOLLOW") and all(function in os.supports_dir_fd for function in needed)):
        raise UnsupportedSystem


def _resolved(folder: str | os.PathLike[str]) -> str:
    """Resolve a folder of the host. Raises ValueError if it cannot be resolved."""
    found = resolve(_absolute(folder))
    if isinstance(found, PathProblem):
        raise ValueError(f"{os.fspath(folder)!r} cannot be a folder of a path policy: {found.value}")
    return found.path


def _absolute(folder: str | os.PathLike[str]) -> str:
    """Make a folder of the host absolute. `..` stays: its meaning depends on links."""
    return os.path.join(os.getcwd(), os.fspath(folder))  # noqa: PTH109, PTH118  # texts throughout


def _lies_in(found: Resolution, place: str | None) -> bool:
    """Whether a path is in a place that has other names here: a link's target, another spelling, a mount."""
    if place is None:
        return False
    try:
        there = Path(place).stat()
    except OSError:
        return False
    return (there.st_dev, there.st_ino) in found.identities
