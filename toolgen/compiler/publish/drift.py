"""Drift: how a package on the disk differs from what its specs give, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from toolgen import __version__
from toolgen.compiler.listing import BUILTIN_PREFIX
from toolgen.compiler.publish.difference import difference
from toolgen.compiler.publish.inputs import Inputs, current_inputs, digest
from toolgen.compiler.publish.lock import Lock, LockBroken, lock_for, parse_lock, render_lock
from toolgen.compiler.publish.tree import LOCK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolgen.compiler.config import Target
    from toolgen.compiler.publish.tree import Tree


_NO_FILE: Final = "a link, a special file, or not readable"


class Cause(StrEnum):
    """Why a file is not what a build would make it."""

    SPEC = "spec changed"
    BUILTIN = "built-in toolset changed"
    GENERATOR = "generator changed"
    FORMATTER = "formatter changed"
    CONFIGURATION = "configuration changed"
    EDITED = "edited by hand"
    MISSING = "missing"
    STRAY = "stray"


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """One file of a package that a build would write or remove, or that toolgen does not own.

    `path` is relative to the package. `because` names what changed: spec files, or versions. `diff` is what a build
    would do to the file, as a unified diff, where that is known and the file is text.
    """

    path: str
    causes: tuple[Cause, ...]
    because: tuple[str, ...] = ()
    diff: str = ""

    @property
    def is_left_alone(self) -> bool:
        """Whether a build passes the file over: toolgen neither wrote it nor would write one there."""
        return self.causes == (Cause.STRAY,) and not self.diff

    @property
    def is_guarded(self) -> bool:
        """Whether a build refuses to touch the file, unless it is forced."""
        by_hand = Cause.EDITED in self.causes or Cause.STRAY in self.causes
        return by_hand and self.path != LOCK and not self.is_left_alone


@dataclass(frozen=True, slots=True)
class _Staleness:
    """How inputs differ from those that a lock noted."""

    causes: tuple[Cause, ...] = ()
    because: tuple[str, ...] = ()


def fast_check(tree: Tree, target: Target) -> tuple[Change, ...] | None:
    """Compare a package with its specs by its lock alone, without building and without importing what builds.

    Nothing found means that a build would change nothing. Gives None where no readable lock can answer.
    """
    try:
        lock = parse_lock(tree.read(LOCK))
    except (OSError, LockBroken):
        return None
    return drift(tree, lock, current_inputs(tree.root, target), None)


def drift(tree: Tree, lock: Lock | None, inputs: Inputs, expected: Mapping[str, bytes] | None) -> tuple[Change, ...]:
    """List what a build from `inputs` would change in the tree, sorted by path.

    `expected` is what the build would write, or None where only the lock is asked: then changed inputs show as a
    change of `toolgen.lock`, and there are no diffs. A file that cannot be read counts as edited.
    """
    stale = _staleness(lock, inputs) if lock else _Staleness()
    owned: Mapping[str, str] = lock.files if lock else {}
    present = tree.scan()
    changes = [*_changed_files(tree, owned, stale, present, expected)]
    known = {*owned, *(expected or ()), LOCK}
    strays = (path for path in present if path not in known and not _belongs_to_tools(path))
    changes += [Change(path, (Cause.STRAY,)) for path in strays]
    lock_now = Lock(__version__, inputs, owned) if expected is None else lock_for(inputs, expected)
    if LOCK not in present:
        changes.append(Change(LOCK, (Cause.MISSING,)))
    elif _read(tree, LOCK, present) != render_lock(lock_now):
        changes.append(Change(LOCK, stale.causes or (Cause.EDITED,), stale.because))
    return tuple(sorted(changes))


def _changed_files(
    tree: Tree,
    owned: Mapping[str, str],
    stale: _Staleness,
    present: Mapping[str, bool],
    expected: Mapping[str, bytes] | None,
) -> Iterator[Change]:
    """Compare each file that toolgen wrote or would write; without `expected`, with what the lock noted."""
    wanted = owned if expected is None else {path: digest(content) for path, content in expected.items()}
    for path in {*owned, *wanted}:
        content = _read(tree, path, present)
        found = _NO_FILE if path in present else None
        if content is not None:
            found = digest(content)
        if causes := _causes(found, owned.get(path), wanted.get(path), stale):
            because = stale.because if set(causes) & set(stale.causes) else ()
            new = (expected or {}).get(path)
            diff = "" if expected is None else difference(f"{tree.out}/{path}", content, new)
            yield Change(path, causes, because, diff)


def _read(tree: Tree, path: str, present: Mapping[str, bool]) -> bytes | None:
    try:
        return tree.read(path) if present.get(path) else None
    except OSError:
        return None


def _causes(found: str | None, owned: str | None, wanted: str | None, stale: _Staleness) -> tuple[Cause, ...]:
    """Say why a file with the digest `found` is not as `wanted`, when the lock noted it as `owned`."""
    if found == wanted or (found is None and wanted is None):
        return ()
    by_hand: tuple[Cause, ...] = ()
    if found is None and (owned is not None or not stale.causes):
        by_hand = (Cause.MISSING,)
    elif found is not None and found != owned:
        by_hand = (Cause.STRAY if owned is None else Cause.EDITED,)
    generated = () if owned == wanted else stale.causes
    return by_hand + generated or (Cause.GENERATOR,)


def _staleness(lock: Lock, now: Inputs) -> _Staleness:
    noted = lock.inputs
    causes: list[Cause] = []
    because: list[str] = []
    specs = sorted(path for path in {*noted.specs, *now.specs} if noted.specs.get(path) != now.specs.get(path))
    if any(not path.startswith(BUILTIN_PREFIX) for path in specs):
        causes.append(Cause.SPEC)
    if any(path.startswith(BUILTIN_PREFIX) for path in specs):
        causes.append(Cause.BUILTIN)
    because += specs
    if noted.generator != now.generator:
        causes.append(Cause.GENERATOR)
        because += [f"toolgen {lock.generator} -> {__version__}"] if lock.generator != __version__ else []
    if noted.formatter != now.formatter:
        causes.append(Cause.FORMATTER)
        because.append(f"ruff {noted.formatter or 'not installed'} -> {now.formatter or 'not installed'}")
    if noted.config != now.config:
        causes.append(Cause.CONFIGURATION)
    return _Staleness(tuple(causes), tuple(because))


def _belongs_to_tools(path: str) -> bool:
    """Say whether tools, or version control, keep such a file in any package, so that it is no stray."""
    parts = path.split("/")
    return (
        any(part.startswith(".") or part == "__pycache__" for part in parts)
        or parts[-1].endswith(".pyc")
        or parts[-1] == "py.typed"
    )
