"""Transaction: one command at a time changes a tree, starting from a consistent state."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

from toolgen.compiler.publish.transaction.exclusive import OutputBusy, exclusive
from toolgen.compiler.publish.transaction.journal import interrupted, settle

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.publish.transaction.disk import Disk
    from toolgen.compiler.publish.tree import Tree

ResultT = TypeVar("ResultT")


def transact(
    tree: Tree,
    change: Callable[[], ResultT],
    *,
    force: bool,
    sink: Diagnostics,
    patience: float,
    waiting: Callable[[str], None],
    disk: Disk,
) -> ResultT | None:
    """Lock the tree, complete or undo an interrupted build, and return the result of `change`.

    Obstacles are reported, and the result is None: another command that holds the tree, an edit since the interruption,
    a link above the tree, or an OSError, also from `change`.
    """
    if not tree.is_real(sink):
        return None
    try:
        with exclusive(tree, disk, patience=patience, waiting=waiting):
            return change() if settle(tree, force=force, sink=sink, disk=disk) else None
    except (OutputBusy, OSError) as error:
        _report(tree, error, sink)
        return None


def _report(tree: Tree, error: OutputBusy | OSError, sink: Diagnostics) -> None:
    if isinstance(error, OutputBusy):
        sink.report("TG607", tree.span(), str(error))
        return
    place = error.filename2 or error.filename
    where = f" ({os.path.relpath(place, tree.root)})".replace(os.sep, "/") if isinstance(place, str) else ""
    state = "the next command completes or undoes the changes" if interrupted(tree) else "nothing was changed"
    sink.report("TG608", tree.span(), f"{tree.out} could not be written: {error.strerror or error}{where}; {state}")
