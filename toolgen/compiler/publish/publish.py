"""Publish: the one writer of packages. All of a package reaches the disk, or none of it.

Imports of what writes wait until something is written: a command with nothing to do only looks.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.compiler.publish.lock import LockBroken, lock_for, parse_lock, render_lock, report_broken
from toolgen.compiler.publish.state import note_state
from toolgen.compiler.publish.tree import LOCK

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.publish.inputs import Inputs
    from toolgen.compiler.publish.lock import Lock
    from toolgen.compiler.publish.transaction.disk import Disk
    from toolgen.compiler.publish.tree import Tree

PATIENCE: Final = 60.0
"""Seconds to wait for another command that writes the same tree."""


def quiet(message: str) -> None:
    """Show no progress, and say nothing while waiting."""


@dataclass(frozen=True, slots=True)
class Published:
    """What publishing changed: paths in the tree, sorted, the lock among them where it changed."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]


def publish(
    tree: Tree,
    files: Mapping[str, bytes],
    inputs: Inputs,
    owners: Mapping[str, str],
    *,
    force: bool = False,
    sink: Diagnostics,
    patience: float = PATIENCE,
    waiting: Callable[[str], None] = quiet,
    disk: Disk | None = None,
) -> Published | None:
    """Make the tree hold exactly `files` (contents by path) beside what users keep there, and a lock over them.

    Only what differs is written, and only files that the former lock owns are removed. Hand edits and strays in the
    way are reported, unless `force`. `owners` says which parts of the files are of which tool. Gives nothing where
    anything was reported: then nothing was changed. Waits up to `patience` seconds for another process that writes the
    tree, and says so once through `waiting`.
    """
    from toolgen.compiler.publish.transaction.disk import Disk
    from toolgen.compiler.publish.transaction.transaction import transact

    disk = disk or Disk()

    def change() -> Published | None:
        return _replace(tree, files, inputs, owners, force=force, sink=sink, disk=disk)

    return transact(tree, change, force=force, sink=sink, patience=patience, waiting=waiting, disk=disk)


def recover(
    tree: Tree,
    *,
    force: bool = False,
    sink: Diagnostics,
    patience: float = PATIENCE,
    waiting: Callable[[str], None] = quiet,
    disk: Disk | None = None,
) -> bool:
    """Complete or undo what an interrupted build left in the tree, and say whether the tree is whole now.

    Every command that reads or writes a package calls this first; with nothing to do it costs a few looks. What stands
    in the way is reported, and so is a link on the way to the tree.
    """
    if not tree.is_real(sink):
        return False
    if not os.path.lexists(tree.work()):
        return True
    from toolgen.compiler.publish.transaction.disk import Disk
    from toolgen.compiler.publish.transaction.transaction import transact

    disk = disk or Disk()
    done = transact(tree, lambda: True, force=force, sink=sink, patience=patience, waiting=waiting, disk=disk)
    return done is not None


def _replace(
    tree: Tree,
    files: Mapping[str, bytes],
    inputs: Inputs,
    owners: Mapping[str, str],
    *,
    force: bool,
    sink: Diagnostics,
    disk: Disk,
) -> Published | None:
    from toolgen.compiler.publish.plan import plan
    from toolgen.compiler.publish.transaction.journal import commit

    try:
        owned = _present_lock(tree, force=force)
    except LockBroken as error:
        report_broken(tree, error, sink)
        return None
    content = render_lock(lock_for(files, owners, inputs.formatter))
    planned = plan(tree, owned, files, content, force=force, sink=sink)
    if planned is None:
        return None
    if planned.steps:
        commit(tree, planned.steps, {**files, LOCK: content}, disk)
    note_state(tree, inputs)
    return Published(
        written=tuple(sorted(step.path for step in planned.steps if step.after is not None)),
        removed=tuple(sorted(step.path for step in planned.steps if step.after is None)),
        unchanged=planned.unchanged,
    )


def _present_lock(tree: Tree, *, force: bool) -> Lock | None:
    """Read the lock that is there; None without one. Under `force` a broken lock owns nothing. Raises LockBroken."""
    try:
        return parse_lock(tree.read(LOCK))
    except FileNotFoundError:
        return None
    except LockBroken:
        if force:
            return None
        raise
