"""Paths of calls: their resolution, the rules of policies for them, and any concern about reading or writing one.

Every answer is about the resolved path, so that all paths to a file have the same answer. An answer is valid only at
that moment; `PathAccess` opens exactly the file that was judged, and nothing that has replaced it.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from fnmatch import translate
from functools import cached_property, lru_cache
from itertools import accumulate, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from toolgen.contract.picklable import Picklable
from toolgen.spec.sensitive import always_sensitive, is_private

if TYPE_CHECKING:
    from toolgen.runtime.policy.policy import Policies


# Path rules: which folders may be written to, and which files are sensitive. Nothing is read from disk.
#
# Paths are absolute texts here; `resolve` below follows links.


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRules:
    """The `paths` of one policy.

    `write_roots`: folders that may be written to, with everything below; `.` is the project, `~` the home.
    `tmp`: whether the folders for temporary files are write roots too.
    `sensitive`: sensitive files, in addition to those that always are. A pattern with a slash is a path, with
    everything below; one without is the name of a file or of a folder above it. In both, `*`, `?` and `[...]` match
    text without a slash; `~` is the home of any user.
    `hard_links`: whether a file with several hard links may be read like one with a single name. Its other names are
    unknown, and one of them may be sensitive; but some package managers install all files as hard links.
    """

    write_roots: Sequence[str] = (".",)
    tmp: bool = False
    sensitive: Sequence[str] = ()
    hard_links: bool = False


def expand(path: str, *, base: str, home: str) -> str:
    """Make a path absolute: `~` and `~/...` relative to the home, any other relative path to `base`.

    `~name` is a file of that name: the homes of other users are never looked up.
    """
    if path == "~" or path.startswith("~/"):
        return f"{home}/{path[2:]}"
    return path if path.startswith("/") else f"{base}/{path}"


def is_within(path: str, folder: str) -> bool:
    """Whether a path is a folder or below it. Both are absolute, without links and `..`."""
    return path == folder or path.startswith(folder if folder == "/" else f"{folder}/")


def ancestry(path: str) -> Iterable[str]:
    """Return an absolute path and all folders above it, from the root down."""
    yield "/"
    for end in range(1, len(path)):
        if path[end] == "/":
            yield path[:end]
    if path != "/":
        yield path


@dataclass(frozen=True)
class SensitivePattern:
    """One pattern as written, and its parts for matching. An absolute pattern is a path."""

    text: str
    parts: tuple[str, ...]
    absolute: bool

    @staticmethod
    def parse(text: str, *, project: str, home: str) -> SensitivePattern:
        """Parse a pattern; paths are relative to the project, unless absolute."""
        absolute = "/" in text.rstrip("/") or text.startswith(("~", "/"))
        full = expand(text, base=project, home=home) if absolute else text
        return SensitivePattern(text, tuple(part for part in full.split("/") if part not in ("", ".")), absolute)

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """The paths of the parts before the first wildcard, the longest first; the last one is `/`."""
        literal = takewhile(lambda part: not _WILDCARDS.search(part), self.parts)
        return tuple(accumulate(literal, lambda folder, part: f"{folder.rstrip('/')}/{part}", initial="/"))[::-1]

    @property
    def place(self) -> str | None:
        """The path of the pattern, if it matches exactly one."""
        return self.folders[0] if self.absolute and len(self.folders) == len(self.parts) + 1 else None

    def matches(self, path: str) -> bool:
        """Whether an absolute path matches, or is below a match. Case, width and invisible characters are ignored."""
        names = _folded_names(path)
        if self.absolute:
            return self.matches_below(0, names)
        return any(expression.fullmatch(name) for expression in self._expressions for name in names)

    def matches_below(self, parts: int, names: Sequence[str]) -> bool:
        """Whether folded names match what follows the first parts, or are below a match."""
        expressions = self._expressions[parts:]
        return len(names) >= len(expressions) and all(
            expression.fullmatch(name) for expression, name in zip(expressions, names, strict=False)
        )

    @cached_property
    def _expressions(self) -> tuple[re.Pattern[str], ...]:
        return tuple(map(_expression, self.parts))


_WILDCARDS: Final = re.compile(r"[*?\[]")
_IGNORABLE: Final = frozenset({"Cf", "Cc"})


@lru_cache(maxsize=64)
def _folded_names(path: str) -> Sequence[str]:
    return [_folded(name) for name in path.split("/") if name]


@lru_cache(maxsize=4096)
def _expression(part: str) -> re.Pattern[str]:
    """Return what a part of a pattern matches. Each runtime has most patterns again, such as the sensitive ones."""
    return re.compile(translate(_folded(part)))


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    """Fold a name like the most lenient file systems do, so that every spelling of a sensitive name matches."""
    wide = unicodedata.normalize("NFKC", name).casefold()
    shown = "".join(mark for mark in wide if unicodedata.category(mark) not in _IGNORABLE)
    return unicodedata.normalize("NFKC", shown).rstrip(" .")


Identity: TypeAlias = tuple[int, int]
"""Device and inode: the same under every name."""

_OTHER_HOMES: Final = ("/root", "/home/*", "/users/*", "/var/root")
"""Where the homes of other users usually are, as folded names."""

_HOME_NAMES: Final = tuple(tuple(home.split("/")[1:]) for home in _OTHER_HOMES)


class _SensitivePlaces:
    """All sensitive patterns of a policy, so that most of them cost one look-up for each folder above a path."""

    def __init__(self, patterns: Iterable[str], *, project: str, homes: Iterable[str]) -> None:
        self._literal: dict[tuple[str, ...], str] = {}
        self._in_homes: dict[tuple[str, ...], str] = {}
        self._others: list[SensitivePattern] = []
        self._absolute: list[SensitivePattern] = []
        for text in patterns:
            in_home = text == "~" or text.startswith("~/")
            for home in dict.fromkeys(homes) if in_home else ("",):
                self._add(SensitivePattern.parse(text, project=project, home=home))
            if not in_home:
                continue
            if _WILDCARDS.search(text):
                for home in _OTHER_HOMES:
                    self._add(SensitivePattern.parse(text, project=project, home=home))
            else:
                self._in_homes[tuple(_folded_names(text[1:]))] = text

    def _add(self, pattern: SensitivePattern) -> None:
        place = pattern.place
        if place is None:
            self._others.append(pattern)
        else:
            self._literal.setdefault(tuple(_folded_names(place)), pattern.text)
        if pattern.absolute:
            self._absolute.append(pattern)
        if pattern.absolute and ".." in pattern.parts:  # by names too: a folder before it may not exist yet
            parts = os.path.normpath(f"/{'/'.join(pattern.parts)}").split("/")[1:]
            self._add(SensitivePattern(pattern.text, tuple(parts), absolute=True))

    def pattern_of(self, found: Resolution) -> str | None:
        """Return the pattern that a path matches, or is below, by one of its spellings or by its location."""
        for path in (found.path, *found.spellings):
            names = tuple(_folded_names(path))
            pattern = _above_in(self._literal, names)
            for home in _homes_of(names):
                pattern = pattern or _above_in(self._in_homes, names[home:])
            pattern = pattern or next((each.text for each in self._others if each.matches(path)), None)
            if pattern is not None:
                return pattern
        return self._by_location(found)

    def _by_location(self, found: Resolution) -> str | None:
        """Return a pattern whose folder is one above a path, or the path itself, by another name, such as a link's."""
        known: dict[str, Identity | None] = {}
        for pattern in self._absolute:
            there = _first_there(pattern.folders, known)
            above = found.folders.get(there[1]) if there else None
            if there is None or above is None or above == there[0]:  # one of the same name is matched by names
                continue
            parts = len(pattern.folders) - 1 - pattern.folders.index(there[0])
            if pattern.matches_below(parts, _folded_names(found.path)[len(_folded_names(above)) :]):
                return pattern.text
        return None


def _first_there(folders: Iterable[str], known: dict[str, Identity | None]) -> tuple[str, Identity] | None:
    """Return the first folder that exists, with its identity; `known` are those that were looked at."""
    for folder in folders:
        if folder not in known:
            known[folder] = _identity_at(folder)
        if (identity := known[folder]) is not None:
            return folder, identity
    return None


def _above_in(patterns: Mapping[tuple[str, ...], str], names: tuple[str, ...]) -> str | None:
    """Return the pattern of a path, or of a folder above it."""
    return next((text for end in range(len(names) + 1) if (text := patterns.get(names[:end])) is not None), None)


def _homes_of(names: tuple[str, ...]) -> Iterable[int]:
    """Yield how many names of a folded path are a home of some user."""
    for parts in _HOME_NAMES:
        if len(names) >= len(parts) and all(part in ("*", name) for part, name in zip(parts, names, strict=False)):
            yield len(parts)


def _identity_at(place: str) -> Identity | None:
    try:
        return _identity(os.stat(place))  # noqa: PTH116  # many of them for each path
    except OSError:
        return None


# Resolution of paths: following every link of a path, and recording the links.

MAX_LINKS: Final = 40
MAX_BYTES: Final = 4096
"""Maximum links in one path, and maximum length: the limits of Linux."""


class FileKind(StrEnum):
    """What is at a resolved path."""

    FILE = "file"
    FOLDER = "folder"
    OTHER = "other"
    MISSING = "missing"


class PathProblem(StrEnum):
    """Why a path cannot be resolved."""

    EMPTY = "it is empty"
    NUL = "it contains a NUL character"
    NOT_TEXT = "it is not valid Unicode"
    NOT_A_STRING = "it is not a string"
    TOO_LONG = "it is too long"
    TOO_MANY_LINKS = "its links form a loop"
    CLOSED = "a folder of the path cannot be read"
    OTHER_HOME = "it may be in the home of another user; put `./` before a name that begins with `~`"
    NO_FOLDER = "the folder in which it starts does not exist"


@dataclass(frozen=True, slots=True)
class Resolution:
    """A resolved path: `path` is absolute, without links and `..`.

    `spellings` are the paths before each link was followed, up to the first `..` behind it. `folders` are the path and
    the folders above it, as far as they exist, by their identities. `names` is the number of hard links of a file.
    """

    path: str
    kind: FileKind
    spellings: tuple[str, ...]
    folders: Mapping[Identity, str]
    names: int


def resolve(path: str) -> Resolution | PathProblem:
    """Follow every link of an absolute path. A missing part counts as a plain name, so that it may be created."""
    problem = _problem(path)
    if problem is not None:
        return problem
    pending = list(reversed(path.split("/")))
    at, spellings, found = "/", list[str](), dict[str, os.stat_result]()
    while pending:
        name = pending.pop()
        if name in ("", "."):
            continue
        if name == "..":
            at = at.rpartition("/")[0] or "/"
            continue
        here = f"{at.rstrip('/')}/{name}"
        met = _look(here)
        if isinstance(met, PathProblem):
            return met
        if not isinstance(met, str):
            at = here
            if met is not None:
                found[here] = met
            continue
        spellings.append("/".join((here, *takewhile(lambda part: part != "..", reversed(pending)))))
        if len(spellings) > MAX_LINKS:
            return PathProblem.TOO_MANY_LINKS
        at = "/" if met.startswith("/") else at
        pending += reversed(met.split("/"))
    return _resolution(at, spellings, found)


def _look(path: str) -> os.stat_result | str | PathProblem | None:
    """Return the status of a path, the target if it is a link, or None if it does not exist."""
    try:
        status = os.lstat(path)
        if not stat.S_ISLNK(status.st_mode):
            return status
        try:
            return os.readlink(path)  # noqa: PTH115  # a text
        except OSError as error:
            if error.errno == errno.EINVAL:  # no longer a link: look again
                return path
            raise
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return PathProblem.TOO_LONG if error.errno == errno.ENAMETOOLONG else PathProblem.CLOSED


def _resolution(path: str, spellings: Sequence[str], found: Mapping[str, os.stat_result]) -> Resolution:
    status = found.get(path)
    return Resolution(
        path=path,
        kind=_kind(status, path),
        spellings=tuple(spellings),
        folders={_identity(found[folder]): folder for folder in ancestry(path) if folder in found},
        names=status.st_nlink if status and stat.S_ISREG(status.st_mode) else 1,
    )


def _identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino


def _problem(path: str) -> PathProblem | None:
    if not path:
        return PathProblem.EMPTY
    if "\0" in path:
        return PathProblem.NUL
    try:
        size = len(path.encode("utf-8", "surrogateescape"))  # as for names with other bytes
    except UnicodeEncodeError:
        return PathProblem.NOT_TEXT
    return PathProblem.TOO_LONG if size > MAX_BYTES else None


def _kind(status: os.stat_result | None, path: str) -> FileKind:
    if path == "/":
        return FileKind.FOLDER
    if status is None:
        return FileKind.MISSING
    if stat.S_ISDIR(status.st_mode):
        return FileKind.FOLDER
    return FileKind.FILE if stat.S_ISREG(status.st_mode) else FileKind.OTHER


# The path policy: resolves a path, finds its write root, and returns any concern about reading or writing it.
#
# Every answer is about the resolved path, so that all paths to a file have the same answer. An answer is valid only
# at that moment; `PathAccess` opens exactly the file that was judged, and nothing that has replaced it.


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

    `rules` are those of the host, by default `PathRules()` where no policy is in force; under an empty list nothing may
    be written. `project` and `home` are folders; `home` defaults to that of the current user. `temporary` are the
    folders that a rule's `tmp` adds: by default /tmp and TMPDIR. Write roots are resolved once, here: replacing one
    with a link later has no effect. Raises `UnsupportedSystem` if files cannot be opened relative to a folder.
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
        rules = rules if rules is None else rules or (PathRules(write_roots=()),)
        self._given: Final = project, rules, home, temporary
        rules = (PathRules(),) if rules is None else rules
        given_home = Path.home() if home is None else home
        self.home: Final = _resolved(given_home)
        self.project: Final = _resolved(project)
        folders = _temporary() if temporary is None else temporary
        self._roots: Final = [self._write_roots(rule, folders) for rule in rules]
        self._hard_links: Final = all(rule.hard_links for rule in rules)
        patterns = dict.fromkeys([*always_sensitive(), *(text for rule in rules for text in rule.sensitive)])
        homes = (self.home, _absolute(given_home))
        self._sensitive: Final = _SensitivePlaces(patterns, project=self.project, homes=homes)

    def under(self, policies: Policies) -> PathPolicy:
        """Return the path policy that has the rules of policies too."""
        _, rules, home, temporary = self._given
        theirs = [PathRules(**each) for each in policies.paths]
        if rules is None:
            return PathPolicy(self.project, rules=theirs or None, home=home, temporary=temporary)
        return PathPolicy(self.project, rules=[*rules, *theirs], home=home, temporary=temporary)

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
        return None if None in holding else holding[0]

    def _pattern_of(self, found: Resolution) -> str | None:
        """Return the pattern that makes a path sensitive, by one of its spellings or by its location."""
        own = next((path for path in (found.path, *found.spellings) if is_private(path)), None)
        return own or self._sensitive.pattern_of(found)

    def _write_roots(self, rule: PathRules, temporary: Sequence[str | os.PathLike[str]]) -> list[str]:
        named = [expand(root, base=self.project, home=self.home) for root in rule.write_roots]
        return [_resolved(root) for root in (*named, *(temporary if rule.tmp else ()))]


class UnsupportedSystem(Picklable, RuntimeError):
    """Files cannot be opened relative to a checked folder on this system, so a path policy cannot be enforced."""

    def __init__(self) -> None:
        super().__init__(
            "the path policy needs a POSIX system (Linux, macOS): this one cannot open files relative to a folder"
        )


def _temporary() -> Sequence[str]:
    from tempfile import gettempdir  # brings random, shutil and what compresses, to hosts that may have no paths

    return "/tmp", gettempdir()  # noqa: S108  # named, not used


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
