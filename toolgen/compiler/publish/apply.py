"""The steps from one package to the next: planned, applied and taken back, repeatable after a crash at any point."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.compiler.publish.inputs import digest
from toolgen.compiler.publish.tree import IN_THE_WAY, LOCK, bytecode_of, obstacle, parents, unsafe
from toolgen.spec.writing import flush_to_disk, write_new

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.publish.lock import Lock
    from toolgen.compiler.publish.tree import Tree


# Disk: all file system changes of publishing; a crash can occur before or after each method.

_MANY: Final = 64


class Disk:
    """The real file system. Paths are those of the operating system; every method raises OSError."""

    def make_folder(self, path: str) -> None:
        """Create a folder whose parent exists."""
        os.mkdir(path)

    def write(self, path: str, content: bytes) -> None:
        """Write a new file. It survives a crash immediately, a power failure after `flush`."""
        write_new(path, content)

    def keep(self, path: str, copy: str) -> None:
        """Create a hard link to a file, which outlives the original name; a copy if hard links are not supported."""
        try:
            os.link(path, copy)
        except OSError:
            with open(path, "rb") as file:
                self.write(copy, file.read())

    def flush(self, paths: Sequence[str]) -> None:
        """Wait until the changes to these files and folders survive a power failure.

        Many are flushed by one `sync`, which Linux completes before it returns: a thousand calls of `fsync` take
        five times as long, and seconds on a slow disk.
        """
        if sys.platform == "linux" and len(paths) > _MANY:
            os.sync()
            return
        for path in paths:
            flush_to_disk(path)

    def rename(self, source: str, destination: str) -> None:
        """Move a file; one at the destination is replaced atomically."""
        os.replace(source, destination)

    def remove(self, path: str) -> None:
        """Remove a file or a link."""
        os.unlink(path)

    def remove_folder(self, path: str) -> None:
        """Remove an empty folder."""
        os.rmdir(path)


NEW: Final = "new"
OLD: Final = "old"


@dataclass(frozen=True, slots=True)
class Step:
    """One changed file, with its sha256 before and after; None means no file.

    During a build, the new content of the n-th step is in `.toolgen/new/n`, and its old content in `.toolgen/old/n`. A
    step is done when its `new/n` is gone, or its file, if it only removes. Removals precede all new files, so they are
    done when any `new/n` is gone.
    """

    path: str
    before: str | None
    after: str | None


def forward(tree: Tree, steps: Sequence[Step], present: Mapping[str, bool], disk: Disk) -> None:
    """Complete the steps: all removals, then the new files in order, so that a name may change its case.

    Raises OSError with any number of steps done.
    """
    removed = [step.path for step in steps if step.after is None]
    waiting = to_place(tree, steps, NEW)
    if len(waiting) + len(removed) == len(steps):
        _remove(tree, removed, disk)
    _forget(tree, steps, present, removed, disk)
    for number, step in waiting:
        _place(tree, NEW, number, step, disk)
    _flush(tree, steps, disk)


def undo(tree: Tree, steps: Sequence[Step], present: Mapping[str, bool], disk: Disk) -> None:
    """Undo the steps that are done: all new files go, then the former ones return.

    Raises OSError with any number of steps undone.
    """
    created = {number: step.path for number, step in enumerate(steps) if step.before is None}
    if all(_waits(tree, OLD, number) for number in range(len(steps)) if number not in created):
        _remove(tree, [path for number, path in created.items() if is_done(tree, number, steps[number])], disk)
    _forget(tree, steps, present, created.values(), disk)
    for number, step in to_place(tree, steps, OLD):
        _place(tree, OLD, number, step, disk)
    _flush(tree, steps, disk)


def to_place(tree: Tree, steps: Sequence[Step], folder: str) -> list[tuple[int, Step]]:
    """Return the steps, with their numbers, whose file must still be moved from `NEW` or `OLD`."""
    return [
        (number, step)
        for number, step in enumerate(steps)
        if _waits(tree, folder, number) and (folder == NEW or is_done(tree, number, step))
    ]


def is_done(tree: Tree, number: int, step: Step) -> bool:
    """Return whether a step is done."""
    return not (os.path.lexists(tree.at(step.path)) if step.after is None else _waits(tree, NEW, number))


def _waits(tree: Tree, folder: str, number: int) -> bool:
    return os.path.lexists(tree.work(folder, str(number)))


def _remove(tree: Tree, paths: Iterable[str], disk: Disk) -> None:
    for path in paths:
        if os.path.lexists(tree.at(path)):
            disk.remove(tree.at(path))


def _place(tree: Tree, folder: str, number: int, step: Step, disk: Disk) -> None:
    for each in reversed([*parents(step.path)]):
        if not os.path.isdir(tree.at(each)):
            disk.make_folder(tree.at(each))
    disk.rename(tree.work(folder, str(number)), tree.at(step.path))


def _forget(tree: Tree, steps: Iterable[Step], present: Mapping[str, bool], gone: Iterable[str], disk: Disk) -> None:
    """Remove the bytecode of changed modules, and folders of removed files that are empty now."""
    bytecode = bytecode_of({step.path for step in steps}, present)
    _remove(tree, bytecode, disk)
    folders = {folder for path in (*gone, *bytecode) for folder in parents(path)}
    for folder in sorted(folders, key=lambda each: each.count("/"), reverse=True):
        place = tree.at(folder)
        if os.path.isdir(place) and not os.listdir(place):
            disk.remove_folder(place)


def _flush(tree: Tree, steps: Sequence[Step], disk: Disk) -> None:
    folders = {folder for step in steps for folder in (*parents(step.path), "")}
    disk.flush([place for folder in sorted(folders) if os.path.isdir(place := tree.at(folder))])


# Plan: the steps from the package on disk to the wanted one, or why they are not allowed.

_FIX = "move {what} elsewhere, or run `toolgen build --force`"


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of publishing, in order, the lock last.

    `unchanged` are the generated files that are up to date.
    """

    steps: tuple[Step, ...]
    unchanged: tuple[str, ...]


def plan(
    tree: Tree,
    owned: Lock | None,
    files: Mapping[str, bytes],
    lock: bytes,
    *,
    force: bool,
    sink: Diagnostics,
) -> Plan | None:
    """Compare the tree with the wanted `files` and `lock`; `owned` is the current lock.

    Reports obstacles and returns None: edits and strays (unless `force`), links, folders in place of files, paths that
    leave the tree or differ only in case. Raises OSError.
    """
    present = tree.scan()
    if not _are_possible(tree, files, sink):
        return None
    removed = [path for path in sorted(owned.files if owned else ()) if path in present and path not in files]
    if not _are_free(tree, {*files, LOCK}, removed, present, sink):
        return None
    steps = [Step(path, digest(tree.read(path)), None) for path in removed]
    for path, content in sorted(files.items()):
        steps += _step(tree, path, present, content)
    if not force and not _are_ours(tree, steps, owned, sink):
        return None
    steps += _step(tree, LOCK, present, lock)
    return Plan(tuple(steps), tuple(sorted(files.keys() - {step.path for step in steps})))


def _step(tree: Tree, path: str, present: Collection[str], content: bytes) -> list[Step]:
    """Return the step that gives a file its content; none if it has it."""
    before = tree.read(path) if path in present else None
    return [] if before == content else [Step(path, None if before is None else digest(before), digest(content))]


def _are_possible(tree: Tree, files: Collection[str], sink: Diagnostics) -> bool:
    """Report generated paths that are not allowed, or that conflict."""
    fine = True
    spellings: dict[str, str] = {LOCK: LOCK}
    for path in sorted(files):
        problem = unsafe(path) or ("is toolgen's own lock" if path == LOCK else "")
        if problem:
            sink.report("TG601", tree.span(), f"the generated path {path!r} {problem}")
            fine = False
            continue
        for place in reversed([path, *parents(path)]):
            other = spellings.setdefault(_caseless(place), place)
            if other != place:
                message = f"the generated paths {other} and {place} differ only in case"
                sink.report("TG605", tree.span(place), message)
                fine = False
        folder = next((folder for folder in parents(path) if folder in files), None)
        if folder:
            sink.report("TG601", tree.span(path), f"the generated path {folder} is a file and the folder of {path}")
            fine = False
    return fine


def _are_free(
    tree: Tree,
    wanted: Collection[str],
    removed: Collection[str],
    present: Mapping[str, bool],
    sink: Diagnostics,
) -> bool:
    """Report anything but a file with that name where a file must be written or removed."""
    fine = True
    leaving = {*removed, *bytecode_of(removed, present)}
    staying = {place for path in present if path not in leaving for place in (path, *parents(path))}
    spellings: dict[str, list[str]] = {}
    for place in sorted(staying):
        spellings.setdefault(_caseless(place), []).append(place)
    for path in sorted({*wanted, *removed}):
        problem, code = obstacle(path, present, leaving), "TG604"
        if not problem and path in wanted:
            problem = _folder_at(tree, path, staying, leaving)
        if not problem and path in wanted:
            problem, code = _other_spelling(path, spellings), "TG605"
        if problem:
            fix = IN_THE_WAY if code == "TG604" else ""
            sink.report(code, tree.span(path), f"{tree.out}/{path} cannot be changed: {problem}", fix=fix)
            fine = False
    return fine


def _folder_at(tree: Tree, path: str, staying: Collection[str], leaving: Iterable[str]) -> str:
    if not os.path.isdir(tree.at(path)):
        return ""
    emptied = path not in staying and any(each.startswith(f"{path}/") for each in leaving)
    return "" if emptied else f"`{path}` is a folder"


def _other_spelling(path: str, spellings: Mapping[str, list[str]]) -> str:
    for place in (path, *parents(path)):
        for other in spellings.get(_caseless(place), ()):
            if other != place:
                return f"`{other}` already exists, and differs from `{place}` only in case"
    return ""


def _are_ours(tree: Tree, steps: Iterable[Step], owned: Lock | None, sink: Diagnostics) -> bool:
    """Report files that would be lost: edited generated files, and files that toolgen did not write."""
    fine = True
    for step in steps:
        if step.before is None or (owned and owned.has_written(step.path, tree.read(step.path))):
            continue
        place = f"{tree.out}/{step.path}"
        if owned and step.path in owned.files:
            sink.report("TG602", tree.span(step.path), f"{place} was edited by hand", fix=_FIX.format(what="the edit"))
        else:
            message = f"{place} was not written by toolgen, but a generated file must be written there"
            sink.report("TG603", tree.span(step.path), message, fix=_FIX.format(what="it"))
        fine = False
    return fine


def _caseless(path: str) -> str:
    """Normalize a path like file systems that ignore case and Unicode forms."""
    return unicodedata.normalize("NFC", path.casefold())
