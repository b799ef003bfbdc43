"""Commits: the one that a project is compared with, and each later one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.authoring.diff.git import DiffError, Repository
from toolgen.authoring.diff.sides import commit_of
from toolgen.authoring.watch import Watcher
from toolgen.compiler.project.config import Config

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def commits(root: Path, against: str) -> Iterator[str | None]:
    """Iterate over the commits that a name refers to, without end: first the present one, at once; None while none is.

    A repository that is made meanwhile counts.
    """
    watcher = Watcher(_commit_files(root))
    known = _commit(root, against)
    yield known
    for _ in watcher.batches():
        watcher.watch(_commit_files(root))
        now = _commit(root, against)
        if now != known:
            known = now
            yield known


def _commit(root: Path, against: str) -> str | None:
    try:
        return commit_of(Config(root), against)
    except DiffError:
        return None


def _commit_files(root: Path) -> list[Path]:
    """Return the files that tell when a commit is another one, or when the first repository is made."""
    try:
        return Repository(root).state_files()
    except DiffError:
        return [folder / ".git" / "HEAD" for folder in (root, *root.parents)]
