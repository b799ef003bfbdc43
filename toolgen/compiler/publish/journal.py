"""Journal: many changes as one, prepared and noted first, then made; the next command completes or undoes them."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.compiler.publish.apply import NEW, OLD, Step, back, forward
from toolgen.compiler.publish.tree import obstacle, unsafe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.publish.disk import Disk
    from toolgen.compiler.publish.tree import Tree

_FORMAT: Final = 1
_FORWARD: Final = "forward.json"
_BACK: Final = "back.json"
_DRAFT: Final = "draft.json"


class JournalDamaged(ValueError):
    """The notes of an interrupted build are not what toolgen wrote; the message says how."""


def commit(tree: Tree, steps: Sequence[Step], new: Mapping[str, bytes], old: Mapping[str, bytes], disk: Disk) -> None:
    """Take all steps or none. `new` and `old` hold each changed file's content after and before.

    The caller holds the tree. Raises OSError, with the tree as it was; where even that could not be brought about,
    `interrupted` is true, and the next command completes or undoes the rest.
    """
    try:
        _prepare(tree, steps, new, old, disk)
    except OSError:
        _discard_if_possible(tree, disk)
        raise
    _run(tree, steps, disk)


def interrupted(tree: Tree) -> bool:
    """Say whether a build stopped in the middle of its steps."""
    return any(os.path.lexists(tree.work(name)) for name in (_FORWARD, _BACK))


def settle(tree: Tree, *, force: bool, sink: Diagnostics, disk: Disk) -> bool:
    """Complete or undo what an interrupted build left, and say whether the tree is whole now.

    The caller holds the tree. Files edited since are reported and left, unless `force`. Raises OSError.
    """
    backward = os.path.lexists(tree.work(_BACK))
    if interrupted(tree):
        present = tree.scan()
        try:
            steps = _read(tree.work(_BACK if backward else _FORWARD))
            _refuse_damage(tree, steps, OLD if backward else NEW)
        except JournalDamaged as error:
            sink.report("TG609", tree.span(), f"the build of {tree.out} that was interrupted {error}")
            return False
        if not _may_continue(tree, steps, present, backward=backward, force=force, sink=sink):
            return False
        if backward:
            _undo(tree, steps, disk)
        else:
            _run(tree, steps, disk)
    _discard(tree, disk)
    return True


def _prepare(tree: Tree, steps: Sequence[Step], new: Mapping[str, bytes], old: Mapping[str, bytes], disk: Disk) -> None:
    written = [tree.work(), tree.work(NEW), tree.work(OLD)]
    disk.make_folder(tree.work(NEW))
    disk.make_folder(tree.work(OLD))
    for number, step in enumerate(steps):
        for folder, digest, contents in ((NEW, step.after, new), (OLD, step.before, old)):
            if digest is not None:
                written.append(tree.work(folder, str(number)))
                disk.write(written[-1], contents[step.path])
    draft = tree.work(_DRAFT)
    note = {"journal": _FORMAT, "steps": [asdict(step) for step in steps]}
    disk.write(draft, json.dumps(note, indent=1).encode())
    disk.flush([*written, draft])
    disk.rename(draft, tree.work(_FORWARD))
    disk.flush([tree.work()])


def _run(tree: Tree, steps: Sequence[Step], disk: Disk) -> None:
    """Take the steps; on an error turn back."""
    try:
        forward(tree, steps, tree.scan(), disk)
    except OSError:
        disk.rename(tree.work(_FORWARD), tree.work(_BACK))
        disk.flush([tree.work()])
        _undo(tree, steps, disk)
        raise
    disk.remove(tree.work(_FORWARD))
    _discard_if_possible(tree, disk)


def _undo(tree: Tree, steps: Sequence[Step], disk: Disk) -> None:
    back(tree, steps, tree.scan(), disk)
    disk.remove(tree.work(_BACK))
    _discard_if_possible(tree, disk)


def _discard_if_possible(tree: Tree, disk: Disk) -> None:
    """Discard at the end, when all is decided: what cannot be removed now does no harm, and the next command tries."""
    with suppress(OSError):
        _discard(tree, disk)


def _discard(tree: Tree, disk: Disk) -> None:
    """Remove what was prepared and is not noted, or not needed any more. Links are removed, not followed."""
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
        with open(path, "rb") as file:
            value: Any = json.load(file)
        if value["journal"] != _FORMAT:
            raise JournalDamaged(f"was by a toolgen whose journal is in format {value['journal']!r}")
        rows = cast("list[dict[str, str | None]]", value["steps"])
        steps = tuple(Step(str(row["path"]), row["before"], row["after"]) for row in rows)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, JournalDamaged):
            raise
        raise JournalDamaged("left a damaged journal") from error
    for step in steps:
        if problem := unsafe(step.path):
            raise JournalDamaged(f"left a journal with the path {step.path!r}, which {problem}")
    return steps


def _refuse_damage(tree: Tree, steps: Sequence[Step], folder: str) -> None:
    """Raise JournalDamaged where a file that waits to be put in place is not the one noted."""
    if os.path.islink(tree.work(folder)):
        raise JournalDamaged(f"left a link in place of its folder `{folder}`")
    for number, step in enumerate(steps):
        noted = step.after if folder == NEW else step.before
        place = f".toolgen/{folder}/{number}"
        if os.path.lexists(tree.at(place)) and tree.digest(place) != noted:
            raise JournalDamaged(f"prepared {step.path}, and what it prepared is damaged")


def _may_continue(
    tree: Tree,
    steps: Sequence[Step],
    present: Mapping[str, bool],
    *,
    backward: bool,
    force: bool,
    sink: Diagnostics,
) -> bool:
    """Report whatever was put in the way, or edited, since the build was interrupted."""
    fine = True
    coming_or_going = {step.path for step in steps}
    for number, step in enumerate(steps):
        if problem := obstacle(step.path, present, coming_or_going):
            sink.report("TG604", tree.span(step.path), f"{tree.out}/{step.path} cannot be changed: {problem}")
            fine = False
        elif not force and _is_edited(tree, number, step, backward=backward):
            message = f"{tree.out}/{step.path} was edited by hand while a build was interrupted"
            fix = "move the edit elsewhere, or run `toolgen build --force`"
            sink.report("TG602", tree.span(step.path), message, fix=fix)
            fine = False
    return fine


def _is_edited(tree: Tree, number: int, step: Step, *, backward: bool) -> bool:
    """Say whether continuing would change a file that is neither as it was nor as it was to become."""
    waits = os.path.lexists(tree.work(NEW, str(number)))
    touched = not waits if backward and step.after is not None else waits or step.after is None
    return touched and tree.digest(step.path) not in (step.before, step.after, None)
