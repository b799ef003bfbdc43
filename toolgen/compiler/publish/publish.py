"""Publish: the one writer of packages. All of a package reaches the disk, or none of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.compiler.diagnostics.diagnostic import Span
from toolgen.compiler.publish.disk import Disk
from toolgen.compiler.publish.exclusive import PATIENCE, OutputBusy, exclusive, quiet
from toolgen.compiler.publish.journal import commit, interrupted, settle
from toolgen.compiler.publish.lock import LockBroken, lock_for, parse_lock, render_lock, report_broken
from toolgen.compiler.publish.plan import plan
from toolgen.compiler.publish.tree import LOCK

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.publish.inputs import Inputs
    from toolgen.compiler.publish.tree import Tree

_DISK: Final = Disk()


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
    *,
    force: bool = False,
    sink: Diagnostics,
    patience: float = PATIENCE,
    waiting: Callable[[str], None] = quiet,
    disk: Disk = _DISK,
) -> Published | None:
    """Make the tree hold exactly `files` (contents by path) beside what users keep there, and a lock over them.

    Only what differs is written, and only files that the former lock owns are removed. Hand edits and strays in the
    way are reported, unless `force`. Gives nothing where anything was reported: then nothing was changed. Waits up
    to `patience` seconds for another process that writes the tree, and says so once through `waiting`.
    """
    if not _is_real(tree, sink):
        return None
    try:
        with exclusive(tree, disk, patience=patience, waiting=waiting):
            if not settle(tree, force=force, sink=sink, disk=disk):
                return None
            return _replace(tree, files, inputs, force=force, sink=sink, disk=disk)
    except (OutputBusy, OSError) as error:
        _report(tree, error, sink)
        return None


def recover(
    tree: Tree,
    *,
    force: bool = False,
    sink: Diagnostics,
    patience: float = PATIENCE,
    waiting: Callable[[str], None] = quiet,
    disk: Disk = _DISK,
) -> bool:
    """Complete or undo what an interrupted build left in the tree, and say whether the tree is whole now.

    Every command that reads or writes a package calls this first; with nothing to do it costs one look. What stands
    in the way is reported.
    """
    if not os.path.lexists(tree.work()):
        return True
    if not _is_real(tree, sink):
        return False
    try:
        with exclusive(tree, disk, patience=patience, waiting=waiting):
            return settle(tree, force=force, sink=sink, disk=disk)
    except (OutputBusy, OSError) as error:
        _report(tree, error, sink)
        return False


def _replace(
    tree: Tree, files: Mapping[str, bytes], inputs: Inputs, *, force: bool, sink: Diagnostics, disk: Disk
) -> Published | None:
    owned = _owned(tree, force=force, sink=sink)
    if owned is None:
        return None
    content = render_lock(lock_for(inputs, files))
    planned = plan(tree, owned, files, content, force=force, sink=sink)
    if planned is None:
        return None
    if planned.steps:
        commit(tree, planned.steps, {**files, LOCK: content}, disk)
    return Published(
        written=tuple(sorted(step.path for step in planned.steps if step.after is not None)),
        removed=tuple(sorted(step.path for step in planned.steps if step.after is None)),
        unchanged=planned.unchanged,
    )


def _owned(tree: Tree, *, force: bool, sink: Diagnostics) -> Mapping[str, str] | None:
    """Give the files that the present lock owns, with their sha256. Under `force` a broken lock owns none."""
    try:
        return parse_lock(tree.read(LOCK)).files
    except FileNotFoundError:
        return {}
    except LockBroken as error:
        if force:
            return {}
        report_broken(tree, error, sink)
        return None


def _is_real(tree: Tree, sink: Diagnostics) -> bool:
    blocked = tree.link_on_the_way()
    if blocked:
        message = f"{blocked} is a link or a file; toolgen writes only into real folders of the project"
        sink.report("TG604", Span(blocked), message, fix="remove it, or choose another `out`")
    return not blocked


def _report(tree: Tree, error: OutputBusy | OSError, sink: Diagnostics) -> None:
    if isinstance(error, OutputBusy):
        sink.report("TG607", tree.span(), str(error))
        return
    place = error.filename2 or error.filename
    where = f" ({os.path.relpath(place, tree.root)})".replace(os.sep, "/") if isinstance(place, str) else ""
    state = "the next command completes or undoes what was begun" if interrupted(tree) else "nothing was changed"
    sink.report("TG608", tree.span(), f"{tree.out} could not be written: {error.strerror or error}{where}; {state}")
