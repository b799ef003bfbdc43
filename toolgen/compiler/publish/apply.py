"""Apply: the steps from one package to the next, forward and back, each repeatable after a crash at any point."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.compiler.publish.tree import bytecode_of, parents

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from toolgen.compiler.publish.disk import Disk
    from toolgen.compiler.publish.tree import Tree

NEW: Final = "new"
OLD: Final = "old"


@dataclass(frozen=True, slots=True)
class Step:
    """One file that changes, with its sha256 before and after; None stands for no file.

    While steps are under way, the n-th one's next content waits in `.toolgen/new/n`, and a copy of its former
    content in `.toolgen/old/n`. A step is done once its `new/n` is gone, or its file where it only removes.
    """

    path: str
    before: str | None
    after: str | None


def forward(tree: Tree, steps: Sequence[Step], present: Mapping[str, bool], disk: Disk) -> None:
    """Complete the steps: all removals, then the new files in order, so that a name may change its case.

    Raises OSError with any number of steps done.
    """
    waiting = {number: step for number, step in enumerate(steps) if step.after is not None}
    removed = [step.path for step in steps if step.after is None]
    if all(_waits(tree, NEW, number) for number in waiting):
        _remove(tree, removed, disk)
    _forget(tree, [step.path for step in steps], present, removed, disk)
    for number, step in waiting.items():
        if _waits(tree, NEW, number):
            _place(tree, tree.work(NEW, str(number)), step.path, disk)
    _flush(tree, steps, disk)


def back(tree: Tree, steps: Sequence[Step], present: Mapping[str, bool], disk: Disk) -> None:
    """Undo the steps that are done: all new files go, then the former ones return.

    Raises OSError with any number of steps undone.
    """
    former = {number: step for number, step in enumerate(steps) if step.before is not None}
    created = {number: step.path for number, step in enumerate(steps) if step.before is None}
    if all(_waits(tree, OLD, number) for number in former):
        _remove(tree, [path for number, path in created.items() if not _waits(tree, NEW, number)], disk)
    _forget(tree, [step.path for step in steps], present, [*created.values()], disk)
    for number, step in former.items():
        done = not os.path.lexists(tree.at(step.path)) if step.after is None else not _waits(tree, NEW, number)
        if done and _waits(tree, OLD, number):
            _place(tree, tree.work(OLD, str(number)), step.path, disk)
    _flush(tree, steps, disk)


def _waits(tree: Tree, folder: str, number: int) -> bool:
    return os.path.lexists(tree.work(folder, str(number)))


def _remove(tree: Tree, paths: Iterable[str], disk: Disk) -> None:
    for path in paths:
        if os.path.lexists(tree.at(path)):
            disk.remove(tree.at(path))


def _place(tree: Tree, source: str, path: str, disk: Disk) -> None:
    for folder in reversed([*parents(path)]):
        if not os.path.isdir(tree.at(folder)):
            disk.make_folder(tree.at(folder))
    disk.rename(source, tree.at(path))


def _forget(tree: Tree, changed: Collection[str], present: Mapping[str, bool], gone: Sequence[str], disk: Disk) -> None:
    """Remove the bytecode of changed modules, and the folders that held what is gone and are empty now."""
    bytecode = bytecode_of(set(changed), present)
    _remove(tree, bytecode, disk)
    folders = {folder for path in (*gone, *bytecode) for folder in parents(path)}
    for folder in sorted(folders, key=lambda each: each.count("/"), reverse=True):
        place = tree.at(folder)
        if os.path.isdir(place) and not os.listdir(place):
            disk.remove_folder(place)


def _flush(tree: Tree, steps: Sequence[Step], disk: Disk) -> None:
    folders = {folder for step in steps for folder in (*parents(step.path), "")}
    disk.flush([place for folder in sorted(folders) if os.path.isdir(place := tree.at(folder))])
