"""Resolution of paths: following every link of a path, and recording the links."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from toolgen.runtime.policy.paths.rules import ancestry

MAX_LINKS: Final = 40
MAX_BYTES: Final = 4096
"""Maximum links in one path, and maximum length: the limits of Linux."""

Identity: TypeAlias = tuple[int, int]
"""Device and inode: the same under every name."""


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


@dataclass(frozen=True, slots=True)
class Resolution:
    """A resolved path: `path` is absolute, without links and `..`.

    `links` are the paths of the links that were followed. `identities` are those of the path and of the folders above
    it, as far as they exist. `names` is the number of hard links of a file.
    """

    path: str
    kind: FileKind
    links: tuple[str, ...]
    identities: frozenset[Identity]
    names: int


def resolve(path: str) -> Resolution | PathProblem:
    """Follow every link of an absolute path. A missing part counts as a plain name, so that it may be created."""
    problem = _problem(path)
    if problem is not None:
        return problem
    pending = list(reversed(path.split("/")))
    at, links, found = "/", list[str](), dict[str, os.stat_result]()
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
        links.append(here)
        if len(links) > MAX_LINKS:
            return PathProblem.TOO_MANY_LINKS
        at = "/" if met.startswith("/") else at
        pending += reversed(met.split("/"))
    return _resolution(at, links, found)


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


def _resolution(path: str, links: Sequence[str], found: Mapping[str, os.stat_result]) -> Resolution:
    status = found.get(path)
    return Resolution(
        path=path,
        kind=_kind(status, path),
        links=tuple(links),
        identities=frozenset(_identity(found[folder]) for folder in ancestry(path) if folder in found),
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
