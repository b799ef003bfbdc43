"""Drift: how a package on disk differs from what its specs generate, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from toolgen import __version__
from toolgen.compiler.project.listing import BUILTIN_PREFIX
from toolgen.compiler.publish.inputs import Inputs, current_inputs
from toolgen.compiler.publish.lock import (
    Lock,
    LockBroken,
    has_conflict,
    lock_for,
    parse_lock,
    read_noted,
    render_lock,
)
from toolgen.compiler.publish.tree import LOCK
from toolgen.spec.text import count_equal, cut, hunks, visible

if TYPE_CHECKING:
    from toolgen.compiler.project.config import Target
    from toolgen.compiler.publish.tree import Tree


# Difference: a unified diff that stays readable and fast for large texts.

LINES: Final = 200
WIDTH: Final = 240
_CONTEXT: Final = 3
_CONTEXT_WIDTH: Final = WIDTH // 4


def difference(path: str, old: bytes | None, new: bytes | None) -> str:
    """Show how `old` becomes `new`, as `diff -u` does, in at most about `LINES` lines of `WIDTH` characters.

    A longer line is truncated, around the first difference if it replaces another. None means no file. Control
    characters, and bytes that are not UTF-8, are escaped.
    """
    before, after = _lines(old), _lines(new)
    lines, is_whole = hunks(before, after, _CONTEXT)
    heads = f"--- {'/dev/null' if old is None else f'a/{path}'}", f"+++ {'/dev/null' if new is None else f'b/{path}'}"
    found = [*heads, *lines[: LINES - 1]] if lines else []
    shown = [_shown(line, skipped) for line, skipped in zip(found, _skipped(found), strict=True)]
    if len(shown) > LINES or not is_whole:
        shown = [*shown[:LINES], "(the rest is not shown)"]
    return "\n".join(shown)


def _lines(content: bytes | None) -> list[str]:
    lines = (content or b"").decode(errors="backslashreplace").split("\n")
    last = lines.pop()
    return [*lines, last, "\\ No newline at end of file"] if last else lines


def _skipped(lines: Sequence[str]) -> list[int]:
    """Return how many characters to skip at the start of each line, so that a replaced one shows the difference."""
    skipped = [0] * len(lines)
    removed: list[int] = []
    for number, line in enumerate(lines):
        if line.startswith("-"):
            removed.append(number)
        elif line.startswith("+") and removed:
            other = removed.pop(0)
            same = count_equal(zip(lines[other][1:], line[1:], strict=False))
            skipped[other] = skipped[number] = max(0, same - _CONTEXT_WIDTH) if same >= WIDTH // 2 else 0
        else:
            removed.clear()
    return skipped


def _shown(line: str, skipped: int) -> str:
    """Return a line made safe and short for a terminal."""
    if skipped and len(line) > WIDTH:
        line = f"{line[0]}…{line[1 + skipped :]}"
    return "\t".join(visible(part) for part in cut(line, WIDTH).split("\t"))


_NO_FILE: Final = b"a link, a special file, or not readable"


class Cause(StrEnum):
    """Why a file differs from what a build would write."""

    OUTDATED = "specs, configuration or toolgen changed"
    MERGED = "merged from several builds"
    SPEC = "spec changed"
    BUILTIN = "built-in toolset changed"
    GENERATOR = "generator changed"
    NEWER = "built by a newer toolgen"
    FORMATTER = "formatter changed"
    CONFIGURATION = "configuration changed"
    SETTINGS = "settings that name tools changed"
    EDITED = "edited by hand"
    DERIVED = "not derived from catalog.json"
    MISSING = "missing"
    STRAY = "stray"


MAKERS: Final = frozenset({Cause.GENERATOR, Cause.NEWER, Cause.FORMATTER, Cause.SETTINGS})
"""Causes that leave a package usable: what made it has changed, not what it was made from."""


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """One file of a package that a build would write or remove, or that toolgen does not own.

    `path` is relative to the package. `because` lists what changed: spec files, or versions. `diff` is a unified diff
    of what a build would change, if that is known and the file is text.
    """

    path: str
    causes: tuple[Cause, ...]
    because: tuple[str, ...] = ()
    diff: str = ""

    @property
    def is_left_alone(self) -> bool:
        """Whether a build ignores the file: toolgen neither wrote it nor would write it."""
        return self.causes == (Cause.STRAY,) and not self.diff

    @property
    def is_edited(self) -> bool:
        """Whether the file was edited by hand; a build writes the lock anew, whatever it has."""
        return Cause.EDITED in self.causes and self.path != LOCK

    @property
    def is_guarded(self) -> bool:
        """Whether a build refuses to change the file, unless forced."""
        by_hand = Cause.EDITED in self.causes or Cause.STRAY in self.causes
        return by_hand and self.path != LOCK and not self.is_left_alone


@dataclass(frozen=True, slots=True)
class _Staleness:
    """How inputs differ from the noted ones."""

    causes: tuple[Cause, ...] = ()
    because: tuple[str, ...] = ()


def fast_check(tree: Tree, target: Target) -> tuple[Change, ...] | None:
    """Compare a package with its specs by its lock, without building and without importing the compiler.

    An empty result means that a build would change nothing. Where specs or settings have changed, that is the only
    change, and no other file is read. None if the lock is not enough: it is missing or broken, or the inputs of the
    package with this lock are not noted, as in a new checkout or after a merge.
    """
    try:
        content = tree.read(LOCK)
    except OSError:
        return None
    noted = read_noted(tree, content)
    if noted is None:
        return None
    inputs, present = current_inputs(tree.root, target), tree.scan()
    if noted.inputs == inputs and noted.has_written(tree, _own(tree, present)):
        return ()
    try:
        lock = parse_lock(content)
    except LockBroken:
        return None
    stale = _staleness(lock, noted.inputs, inputs)
    changes = [Change(LOCK, stale.causes, stale.because)] if stale.causes else []
    if MAKERS.issuperset(stale.causes):
        changes += [*_unlike_lock(tree, lock, present), *_strays(tree, present, lock.files)]
    return tuple(sorted(changes))


def own_files(tree: Tree) -> list[str]:
    """Return the files in the folder of a package but its lock, sorted; strays are among them."""
    return sorted(_own(tree, tree.scan()))


def _own(tree: Tree, present: Mapping[str, bool]) -> list[str]:
    return [path for path in present if path != LOCK and not _is_passed_over(tree, path, present)]


def drift(
    tree: Tree, lock: Lock | None, inputs: Inputs, expected: Mapping[str, bytes], owners: Mapping[str, str]
) -> tuple[Change, ...]:
    """List what a build from `inputs` would change in the tree, sorted by path.

    `expected` is what the build would write, `owners` the tools of its parts. An unreadable file counts as edited.
    """
    present = tree.scan()
    stale = _Staleness()
    found = _read(tree, LOCK, present)
    if lock and found is not None:
        noted = read_noted(tree, found)
        stale = _staleness(lock, noted.inputs, inputs) if noted else _versions(lock, inputs)
    changes = [*_changed_files(tree, lock, stale, present, expected)]
    changes += _strays(tree, present, {**(lock.files if lock else {}), **expected})
    if LOCK not in present:
        changes.append(Change(LOCK, (Cause.MISSING,)))
    elif found != render_lock(lock_for(expected, owners, inputs.formatter)):
        causes = stale.causes or ((_unknown(lock, found),) if lock else (Cause.EDITED,))
        changes.append(Change(LOCK, causes, stale.because))
    return tuple(sorted(changes))


def strays(tree: Tree) -> tuple[str, ...]:
    """List the files in the tree that belong neither to toolgen, by its lock, nor to other tools."""
    try:
        files = parse_lock(tree.read(LOCK)).files
    except (OSError, LockBroken):
        return ()
    return tuple(sorted(change.path for change in _strays(tree, tree.scan(), files)))


def _strays(tree: Tree, present: Mapping[str, bool], known: Collection[str]) -> list[Change]:
    return [
        Change(path, (Cause.STRAY,))
        for path in present
        if path not in known and path != LOCK and not _belongs_to_tools(tree, path, present)
    ]


def _unlike_lock(tree: Tree, lock: Lock, present: Mapping[str, bool]) -> Iterator[Change]:
    """Iterate over the files that differ from the lock."""
    for path in lock.files:
        if path not in present:
            yield Change(path, (Cause.MISSING,))
            continue
        content = _read(tree, path, present)
        if content is None or has_conflict(content) or not lock.has_written(path, content):
            yield Change(path, (Cause.EDITED,))


def _changed_files(
    tree: Tree, lock: Lock | None, stale: _Staleness, present: Mapping[str, bool], expected: Mapping[str, bytes]
) -> Iterator[Change]:
    """Compare each file that toolgen wrote or would write."""
    owned: Collection[str] = lock.files if lock else ()
    for path in {*owned, *expected}:
        content, new = _read(tree, path, present), expected.get(path)
        found = _NO_FILE if content is None and path in present else content
        if found == new:
            continue
        is_new = new is not None and (lock is None or not lock.has_written(path, new))
        generated = stale.causes if is_new or new is None else ()
        causes: tuple[Cause, ...] = ()
        if found is None and (path in owned or not stale.causes):
            causes = (Cause.MISSING,)
        elif found is not None and path not in owned:
            causes = (Cause.STRAY,)
        elif found is not None and not (lock and lock.has_written(path, found)):
            causes = (Cause.EDITED,)
        causes = causes + generated or (_unknown(lock, content),)
        because = stale.because if set(causes) & set(stale.causes) else ()
        yield Change(path, causes, because, difference(f"{tree.out}/{path}", content, new))


def _unknown(lock: Lock | None, content: bytes | None) -> Cause:
    """Return the cause where the inputs of a package are not noted: a merge, if that is to be seen."""
    is_merged = (lock is not None and lock.is_merged) or (content is not None and has_conflict(content))
    return Cause.MERGED if is_merged else Cause.OUTDATED


def _read(tree: Tree, path: str, present: Mapping[str, bool]) -> bytes | None:
    try:
        return tree.read(path) if present.get(path) else None
    except OSError:
        return None


def _staleness(lock: Lock, noted: Inputs, now: Inputs) -> _Staleness:
    causes: list[Cause] = []
    because: list[str] = []
    specs = sorted(path for path in {*noted.specs, *now.specs} if noted.specs.get(path) != now.specs.get(path))
    if any(not path.startswith(BUILTIN_PREFIX) for path in specs):
        causes.append(Cause.SPEC)
    if any(path.startswith(BUILTIN_PREFIX) for path in specs):
        causes.append(Cause.BUILTIN)
    because += specs
    versions = _versions(lock, now)
    if noted.generator != now.generator and not {Cause.GENERATOR, Cause.NEWER} & {*versions.causes}:
        causes.append(Cause.GENERATOR)
    causes += versions.causes
    because += versions.because
    if noted.config != now.config:
        causes.append(Cause.CONFIGURATION)
    if noted.named != now.named:
        causes.append(Cause.SETTINGS)
    return _Staleness(tuple(causes), tuple(because))


def _versions(lock: Lock, now: Inputs) -> _Staleness:
    """Return the changed inputs that the lock shows."""
    causes: list[Cause] = []
    because: list[str] = []
    if lock.newer:
        causes.append(Cause.NEWER)
        because.append(f"toolgen {lock.newer} -> {__version__}")
    elif lock.generator != __version__:
        causes.append(Cause.GENERATOR)
        because.append(f"toolgen {lock.generator} -> {__version__}")
    if lock.formatter != now.formatter:
        causes.append(Cause.FORMATTER)
        because.append(f"ruff {lock.formatter or 'not installed'} -> {now.formatter or 'not installed'}")
    return _Staleness(tuple(causes), tuple(because))


def _belongs_to_tools(tree: Tree, path: str, present: Mapping[str, bool]) -> bool:
    """Return whether a file belongs to other tools or version control, so that it is not a stray."""
    return _is_passed_over(tree, path, present) or path.rpartition("/")[2] == "py.typed"


def _is_passed_over(tree: Tree, path: str, present: Mapping[str, bool]) -> bool:
    """Return whether a file is never one of a package, and changes nothing of what an import of it gives.

    Names with a leading dot cannot be imported. Bytecode belongs to Python where it counts only while its source has
    the time and size that are noted in it: bytecode beside a source, or with a hash (PEP 552), runs whatever that is.
    """
    *folders, name = path.split("/")
    if name.startswith(".") or any(folder.startswith(".") for folder in folders):
        return True
    if "__pycache__" not in folders or not present[path]:
        return False
    return not name.endswith(".pyc") or not _has_hash(tree.at(path))


def _has_hash(bytecode: str) -> bool:
    try:
        with open(bytecode, "rb", buffering=0) as opened:
            head = opened.read(8)
    except OSError:
        return True
    return bool(int.from_bytes(head[4:], "little"))
