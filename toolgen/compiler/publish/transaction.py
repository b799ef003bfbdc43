"""Transaction: one command at a time changes a tree, from a consistent state, with a journal of what it does."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from toolgen.compiler.publish.apply import NEW, OLD, Step, forward, is_done, to_place, undo
from toolgen.compiler.publish.tree import IN_THE_WAY, LARGEST, WORK, obstacle, unsafe
from toolgen.spec.files import NotRegular, TooLarge, read_file
from toolgen.spec.locks import PAUSE, take

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.publish.apply import Disk
    from toolgen.compiler.publish.tree import Tree


# Journal: makes many changes atomically, recorded first, so that the next command can complete or undo them.

_FORMAT: Final = 1
_FORWARD: Final = "forward.json"
_BACK: Final = "back.json"
_DRAFT: Final = "draft.json"


class JournalDamaged(ValueError):
    """The journal of an interrupted build is damaged; the message says how."""


def commit(tree: Tree, steps: Sequence[Step], contents: Mapping[str, bytes], disk: Disk) -> None:
    """Apply all steps or none. `contents` is the new content by path.

    The caller holds the lock of the tree. Raises OSError, with the tree unchanged; if that was not possible,
    `interrupted` is true, and the next command completes or undoes the rest.
    """
    try:
        _prepare(tree, steps, contents, disk)
    except OSError:
        _discard_if_possible(tree, disk)
        raise
    _run(tree, steps, disk)


def interrupted(tree: Tree) -> bool:
    """Return whether a build was interrupted."""
    return any(os.path.lexists(tree.work(name)) for name in (_FORWARD, _BACK))


def settle(tree: Tree, *, force: bool, sink: Diagnostics, disk: Disk) -> bool:
    """Complete or undo an interrupted build, and return whether the tree is consistent now.

    The caller holds the lock of the tree. Files edited since are reported and kept, unless `force`. Raises OSError.
    """
    if interrupted(tree):
        source = OLD if os.path.lexists(tree.work(_BACK)) else NEW
        try:
            steps = _read(tree.work(_BACK if source == OLD else _FORWARD))
            _refuse_damage(tree, steps, source)
        except JournalDamaged as error:
            sink.report("TG609", tree.span(), f"the build of {tree.out} that was interrupted {error}")
            return False
        if not _may_continue(tree, steps, source, force=force, sink=sink):
            return False
        if source == OLD:
            _undo(tree, steps, disk)
        else:
            _run(tree, steps, disk)
    _discard(tree, disk)
    return True


def _prepare(tree: Tree, steps: Sequence[Step], contents: Mapping[str, bytes], disk: Disk) -> None:
    """Write new contents, keep old ones, and record the steps; from then on they count as started."""
    new, old = tree.work(NEW), tree.work(OLD)
    disk.make_folder(new)
    disk.make_folder(old)
    written = [tree.work(), new, old]
    for number, step in enumerate(steps):
        if step.before is not None:
            written.append(tree.work(OLD, str(number)))
            disk.keep(tree.at(step.path), written[-1])
        if step.after is not None:
            written.append(tree.work(NEW, str(number)))
            disk.write(written[-1], contents[step.path])
    draft = tree.work(_DRAFT)
    note = {"journal": _FORMAT, "steps": [asdict(step) for step in steps]}
    disk.write(draft, json.dumps(note, indent=1).encode())
    disk.flush([*written, draft])
    disk.rename(draft, tree.work(_FORWARD))


def _run(tree: Tree, steps: Sequence[Step], disk: Disk) -> None:
    """Apply the steps; on an error undo them."""
    try:
        disk.flush([tree.work()])
        forward(tree, steps, tree.scan(), disk)
    except OSError:
        disk.rename(tree.work(_FORWARD), tree.work(_BACK))
        disk.flush([tree.work()])
        _undo(tree, steps, disk)
        raise
    disk.remove(tree.work(_FORWARD))
    _discard_if_possible(tree, disk)


def _undo(tree: Tree, steps: Sequence[Step], disk: Disk) -> None:
    undo(tree, steps, tree.scan(), disk)
    disk.remove(tree.work(_BACK))
    _discard_if_possible(tree, disk)


def _discard_if_possible(tree: Tree, disk: Disk) -> None:
    """Discard at the end: files that cannot be removed are harmless, and the next command tries again."""
    with suppress(OSError):
        _discard(tree, disk)


def _discard(tree: Tree, disk: Disk) -> None:
    """Remove prepared files that are not recorded or no longer needed. Links are removed, not followed."""
    for name in (_DRAFT, NEW, OLD):
        place = tree.work(name)
        if os.path.isdir(place) and not os.path.islink(place):
            for each in sorted(os.listdir(place)):
                disk.remove(os.path.join(place, each))
            disk.remove_folder(place)
        elif os.path.lexists(place):
            disk.remove(place)


def _read(path: str) -> tuple[Step, ...]:
    try:
        value: Any = json.loads(read_file(path, LARGEST, follow=False))
        written = value["journal"]
        rows = cast("list[dict[str, str | None]]", value["steps"] if written == _FORMAT else [])
        steps = tuple(Step(str(row["path"]), row["before"], row["after"]) for row in rows)
    except (ValueError, KeyError, TypeError, RecursionError, NotRegular, TooLarge) as error:
        raise JournalDamaged("left a damaged journal") from error
    if written != _FORMAT:
        raise JournalDamaged(f"used a toolgen with a journal in format {written!r}")
    for step in steps:
        if problem := unsafe(step.path):
            raise JournalDamaged(f"left a journal with the path {step.path!r}, which {problem}")
    return steps


def _refuse_damage(tree: Tree, steps: Sequence[Step], source: str) -> None:
    """Raise JournalDamaged if a prepared file is not the recorded one."""
    if os.path.islink(tree.work(source)):
        raise JournalDamaged(f"left a link in place of its folder `{source}`")
    for number, step in to_place(tree, steps, source):
        if tree.digest(f"{WORK}/{source}/{number}") != (step.after if source == NEW else step.before):
            raise JournalDamaged(f"prepared {step.path}, but the prepared file is damaged")


def _may_continue(tree: Tree, steps: Sequence[Step], source: str, *, force: bool, sink: Diagnostics) -> bool:
    """Report obstacles and edits since the build was interrupted."""
    fine = True
    present, paths = tree.scan(), {step.path for step in steps}
    waiting = {step.path for _, step in to_place(tree, steps, source)}
    for number, step in enumerate(steps):
        changes = step.path in waiting or _goes(tree, number, step, source)
        if problem := obstacle(step.path, present, paths):
            message = f"{tree.out}/{step.path} cannot be changed: {problem}"
            sink.report("TG604", tree.span(step.path), message, fix=IN_THE_WAY)
            fine = False
        elif changes and not force and tree.digest(step.path) not in (step.before, step.after, None):
            message = f"{tree.out}/{step.path} was edited by hand while a build was interrupted"
            fix = "move the edit elsewhere, or run `toolgen build --force`"
            sink.report("TG602", tree.span(step.path), message, fix=fix)
            fine = False
    return fine


def _goes(tree: Tree, number: int, step: Step, source: str) -> bool:
    """Return whether continuing removes the file of a step without replacing it."""
    return step.after is None if source == NEW else step.before is None and is_done(tree, number, step)


# Exclusive: only one command at a time writes an output folder.

_FILE: Final = "lock"


class OutputBusy(Exception):
    """Another process has held the output folder for the whole waiting time."""


@contextmanager
def exclusive(tree: Tree, disk: Disk, *, patience: float, waiting: Callable[[str], None]) -> Generator[None]:
    """Lock the output folder of `tree`, created if missing, against other processes.

    Waits up to `patience` seconds, and calls `waiting` once with a message. The operating system releases the lock when
    the process ends. Raises OutputBusy and OSError.
    """
    descriptor = _acquire(tree, disk, patience, waiting)
    try:
        yield
    finally:
        _release(tree, disk, descriptor)


def _acquire(tree: Tree, disk: Disk, patience: float, waiting: Callable[[str], None]) -> int:
    deadline = time.monotonic() + patience
    notified = False
    while True:
        with suppress(FileNotFoundError):  # the folder was just removed by the previous holder
            _make_folders(tree.work(), disk)
            descriptor = take(tree.work(_FILE), 0o666)
            if descriptor is not None:
                return descriptor
        if time.monotonic() >= deadline:
            raise OutputBusy(f"another toolgen command has been writing {tree.out} for {patience:g} seconds")
        if not notified:
            waiting(f"waiting for another toolgen command that writes {tree.out}")
            notified = True
        time.sleep(PAUSE)


def _release(tree: Tree, disk: Disk, descriptor: int) -> None:
    """Release the lock, and remove empty folders; a waiting process creates them again.

    Folders that cannot be removed are left to the next command: the work is done, or has failed for another reason.
    """
    if sys.platform == "win32":
        os.close(descriptor)  # Windows does not remove an open file
    with suppress(OSError):
        disk.remove(tree.work(_FILE))
    if sys.platform != "win32":
        os.close(descriptor)
    for folder in (tree.work(), tree.folder):
        with suppress(OSError):
            if not os.listdir(folder):
                disk.remove_folder(folder)


def _make_folders(path: str, disk: Disk) -> None:
    """Create a folder and its parents; another process may do the same at the same time."""
    missing: list[str] = []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for each in reversed(missing):
        with suppress(FileExistsError):
            disk.make_folder(each)


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
