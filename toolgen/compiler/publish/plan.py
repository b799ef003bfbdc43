"""Plan: the steps from the package on disk to the wanted one, or why they are not allowed."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolgen.compiler.publish.apply import Step
from toolgen.compiler.publish.inputs import digest
from toolgen.compiler.publish.tree import LOCK, bytecode_of, obstacle, parents, unsafe

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.publish.lock import Lock
    from toolgen.compiler.publish.tree import Tree

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
    before = {path: digest(tree.read(path)) for path in (*files, *removed, LOCK) if path in present}
    steps = [Step(path, before[path], None) for path in removed]
    steps += [Step(path, before.get(path), digest(content)) for path, content in sorted(files.items())]
    steps = [step for step in steps if step.before != step.after]
    if not force and not _are_ours(tree, steps, owned, sink):
        return None
    steps.append(Step(LOCK, before.get(LOCK), digest(lock)))
    if steps[-1].before == steps[-1].after:
        steps.pop()
    return Plan(tuple(steps), tuple(sorted(files.keys() - {step.path for step in steps})))


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
            sink.report(code, tree.span(path), f"{tree.out}/{path} cannot be changed: {problem}")
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
