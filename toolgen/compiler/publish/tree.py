"""Tree: the output folder of one target, its files, and which paths in it may be changed."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from toolgen.compiler.diagnostics.diagnostic import Span
from toolgen.compiler.publish.inputs import digest
from toolgen.spec.derived import DERIVED
from toolgen.spec.files import NotRegular, check_regular, read_file

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.compiler.diagnostics.diagnostic import Diagnostics

LOCK: Final = "toolgen.lock"
WORK: Final = ".toolgen"

LARGEST: Final = 256 * 1024 * 1024
"""Maximum bytes read of a generated file. Catalogs of 10,000 tools take 11 MB."""

IN_THE_WAY: Final = "move it elsewhere, or remove it, and build again"
"""What to do about an obstacle: no build removes one, not even with `--force`."""

_PLAIN = re.compile(r"(?:[\w-][\w.-]*/)*[\w-][\w.-]*")


@dataclass(frozen=True)
class Tree:
    """The folder `out` of the project in `root`. Paths in it are relative to `out`, with `/`."""

    root: Path
    out: str

    @cached_property
    def folder(self) -> str:
        """The path of the folder, for the operating system."""
        return os.path.join(self.root, *self.out.split("/"))

    def at(self, path: str) -> str:
        """Return a path in the tree, for the operating system."""
        return f"{self.folder}{os.sep}{path.replace('/', os.sep)}" if path else self.folder

    def work(self, *parts: str) -> str:
        """Return a path in the working folder of publishing, for the operating system."""
        return os.path.join(self.folder, WORK, *parts)

    def span(self, path: str = "") -> Span:
        """Return the span of a diagnostic about `path`."""
        return Span(f"{self.out}/{path}" if path else self.out)

    def scan(self) -> dict[str, bool]:
        """List everything in the tree except folders: each path, and whether it is a regular file.

        Links are listed and not followed; folders that cannot be opened are listed too. The folders of publishing and
        of derived data are not included.
        """
        found: dict[str, bool] = {}
        folders = [""]
        while folders:
            inside = folders.pop()
            try:
                entries = list(os.scandir(self.at(inside)))
            except FileNotFoundError:  # removed since it was listed
                continue
            except OSError:
                if inside:
                    found[inside] = False
                continue
            for entry in entries:
                path = f"{inside}/{entry.name}" if inside else entry.name
                if not entry.is_dir(follow_symlinks=False):
                    found[path] = entry.is_file(follow_symlinks=False)
                elif path not in (WORK, DERIVED):
                    folders.append(path)
        return found

    def read(self, path: str) -> bytes:
        """Read a file of the tree, up to `LARGEST` bytes; a link is not followed. Raises OSError."""
        return read_file(self.at(path), LARGEST, follow=False)

    def version(self) -> tuple[int, ...] | None:
        """Return what tells the present lock from those of later builds, without reading it; None without a lock."""
        try:
            status = os.lstat(self.at(LOCK))
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns

    def is_written_since(self, version: tuple[int, ...] | None) -> bool:
        """Whether a build writes the tree at this moment, or has done so since it had a version."""
        return os.path.lexists(self.work()) or self.version() != version

    def digest(self, path: str) -> str | None:
        """Return the sha256 of a file of the tree, or None if there is no regular file."""
        try:
            check_regular(self.at(path), follow=False)
        except OSError:
            return None
        try:
            return digest(self.read(path))
        except (FileNotFoundError, NotRegular):  # removed or replaced since
            return None

    def is_real(self, sink: Diagnostics) -> bool:
        """Return whether all parents of the tree's files are real folders; the first that is not is reported."""
        blocked = self._link_on_the_way()
        if blocked:
            message = f"{blocked} is a link or a file; toolgen reads and writes packages only in real folders"
            sink.report("TG604", Span(blocked), message, fix="remove it, or choose another `out`")
        return not blocked

    def _link_on_the_way(self) -> str:
        parts = [*self.out.split("/"), WORK]
        for length in range(1, len(parts) + 1):
            try:
                status = os.lstat(os.path.join(self.root, *parts[:length]))
            except OSError:  # missing, as all below it, or what the next that opens it reports
                return ""
            if not stat.S_ISDIR(status.st_mode):
                return "/".join(parts[:length])
        return ""


def parents(path: str) -> Iterator[str]:
    """Iterate over the parent folders of `path`, nearest first, without the tree."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def unsafe(path: str) -> str:
    """Return why `path` may not be written in any tree; empty if it may."""
    if path.split("/")[0].casefold() == DERIVED:
        return "is where toolgen keeps derived data"
    if _PLAIN.fullmatch(path):
        return ""
    if not path or path != path.strip("/") or any(part in ("", ".", "..") for part in path.split("/")):
        return "is not a plain relative path"
    if "\\" in path or ":" in path or not path.isprintable():
        return "contains a character that is not portable in file names"
    if path.split("/")[0].casefold() == WORK:
        return "is where toolgen prepares files"
    return ""


def obstacle(path: str, present: Mapping[str, bool], leaving: Collection[str] = ()) -> str:
    """Return what prevents writing or removing the file `path` safely; empty if nothing does.

    `present` is the result of `scan`; `leaving` are files that are removed first, and checked separately.
    """
    for place in (path, *parents(path)):
        if place not in present or (place != path and place in leaving):
            continue
        if not present[place]:
            return f"`{place}` is a link or a special file, or cannot be opened"
        if place != path:
            return f"`{place}` is a file where a folder must be"
    return ""


def bytecode_of(sources: Collection[str], present: Mapping[str, bool]) -> list[str]:
    """List the bytecode files of these modules.

    They are removed with their source: otherwise an empty package would stay importable, and a source that is replaced
    within a second by one of the same size would not be recompiled.
    """
    found: list[str] = []
    for path, regular in present.items():
        folder, _, name = path.rpartition("/")
        package, _, last = folder.rpartition("/")
        if last == "__pycache__" and name.endswith(".pyc") and regular:
            module = f"{package}/{name.split('.')[0]}.py".lstrip("/")
            if module in sources:
                found.append(path)
    return found
