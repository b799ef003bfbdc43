"""Publish: the only writer of packages. All of a package is written to disk, or none of it.

Modules that write are imported only if something is written: a command without changes only reads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from toolgen import __version__
from toolgen.compiler.publish.lock import (
    UPGRADE,
    LockBroken,
    lock_for,
    note_state,
    parse_lock,
    render_lock,
    report_broken,
)
from toolgen.compiler.publish.tree import LOCK

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.publish.apply import Disk
    from toolgen.compiler.publish.inputs import Inputs
    from toolgen.compiler.publish.lock import Lock
    from toolgen.compiler.publish.tree import Tree

ResultT = TypeVar("ResultT")

PATIENCE: Final = 60.0
"""Seconds to wait for another command that writes the same tree."""


def quiet(message: str) -> None:
    """Show no messages while waiting."""


@dataclass(frozen=True, slots=True)
class Package:
    """What is published: contents by path, the inputs that they come from, and the tools of the parts of files."""

    files: Mapping[str, bytes]
    inputs: Inputs
    owners: Mapping[str, str]


def as_made(package: Package) -> Package:
    """Publish a package whatever its inputs are by now."""
    return package


@dataclass(frozen=True, slots=True)
class Published:
    """The changes of publishing: paths in the tree, sorted, including the lock if it changed."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]


def publish(
    tree: Tree,
    package: Package,
    *,
    force: bool = False,
    sink: Diagnostics,
    renew: Callable[[Package], Package | None] = as_made,
    patience: float = PATIENCE,
    waiting: Callable[[str], None] = quiet,
    disk: Disk | None = None,
) -> Published | None:
    """Write the files of a package and their lock to the tree, and remove other generated files.

    Only differences are written, and only files in the previous lock are removed. Edits and strays at the same paths
    are reported, unless `force`. Returns None if anything was reported: then nothing was changed. Waits up to
    `patience` seconds for another process that writes the tree, with one message through `waiting`. When no other can
    write it, `renew` gives what to write in place of a package whose inputs have changed, or None.
    """
    from toolgen.compiler.publish.apply import Disk

    disk = Disk() if disk is None else disk

    def change() -> Published | None:
        current = renew(package)
        return None if current is None else _replace(tree, current, force=force, sink=sink, disk=disk)

    return alone(tree, change, force=force, sink=sink, patience=patience, waiting=waiting, disk=disk)


def recover(
    tree: Tree,
    *,
    force: bool = False,
    sink: Diagnostics,
    patience: float = PATIENCE,
    waiting: Callable[[str], None] = quiet,
    disk: Disk | None = None,
) -> bool:
    """Complete or undo an interrupted build of the tree, and return whether the tree is consistent now.

    Every command that reads or writes a package calls this first; normally it only checks a few paths. Obstacles are
    reported, including links above the tree.
    """
    if not tree.is_real(sink):
        return False
    if not os.path.lexists(tree.work()):
        return True
    done = alone(tree, lambda: True, force=force, sink=sink, patience=patience, waiting=waiting, disk=disk)
    return done is not None


def alone(
    tree: Tree,
    look: Callable[[], ResultT],
    *,
    force: bool = False,
    sink: Diagnostics,
    patience: float = PATIENCE,
    waiting: Callable[[str], None] = quiet,
    disk: Disk | None = None,
) -> ResultT | None:
    """Complete or undo an interrupted build as `recover` does, and return the result of `look`; None for obstacles.

    No other command writes the tree meanwhile.
    """
    from toolgen.compiler.publish.apply import Disk
    from toolgen.compiler.publish.transaction import transact

    disk = Disk() if disk is None else disk
    return transact(tree, look, force=force, sink=sink, patience=patience, waiting=waiting, disk=disk)


def _replace(tree: Tree, package: Package, *, force: bool, sink: Diagnostics, disk: Disk) -> Published | None:
    from toolgen.compiler.publish.apply import plan
    from toolgen.compiler.publish.transaction import commit

    try:
        owned = _present_lock(tree, force=force)
    except LockBroken as error:
        report_broken(tree, error, sink)
        return None
    if owned is not None and owned.newer and not force:
        message = f"{tree.out} was built by toolgen {owned.newer}, and this is {__version__}: nothing was changed"
        fix = f"{UPGRADE}, or run `toolgen build --force`, which writes what this version does"
        sink.report("TG610", tree.span(LOCK), message, fix=fix)
        return None
    files, inputs = package.files, package.inputs
    content = render_lock(lock_for(files, package.owners, inputs.formatter))
    planned = plan(tree, owned, files, content, force=force, sink=sink)
    if planned is None:
        return None
    if planned.steps:
        commit(tree, planned.steps, {**files, LOCK: content}, disk)
    note_state(tree, inputs, files)
    return Published(
        written=tuple(sorted(step.path for step in planned.steps if step.after is not None)),
        removed=tuple(sorted(step.path for step in planned.steps if step.after is None)),
        unchanged=planned.unchanged,
    )


def _present_lock(tree: Tree, *, force: bool) -> Lock | None:
    """Read the current lock; None without one. With `force` a broken lock counts as empty. Raises LockBroken."""
    try:
        return parse_lock(tree.read(LOCK))
    except FileNotFoundError:
        return None
    except LockBroken:
        if force:
            return None
        raise
