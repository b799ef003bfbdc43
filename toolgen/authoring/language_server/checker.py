"""Checker: checks whole projects in a process of its own, so that no request of the editor waits for a check."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from toolgen.authoring.language_server.workspace import Checked, Project
from toolgen.compiler.project.config import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from toolgen.authoring.lint.baseline import Entry
    from toolgen.compiler.diagnostics.diagnostic import Diagnostic
    from toolgen.compiler.project.config import Target

_PROJECTS: Final[dict[Path, Project]] = {}
"""The projects of the process, whose files are parsed again only if they have changed."""


class CheckerEnded(Exception):
    """The process that checks was killed, such as by a system without memory."""


class Checker:
    """A process that is started by the first check, and again by the first one after it was killed."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    async def check(self, project: Project, target: Target, baseline: Mapping[Entry, int]) -> Checked:
        """Check a whole target, as `build` and then `lint` do, with a baseline of lint. Checks run one after the other.

        Raises ConfigError if the configuration has errors by now, and CheckerEnded if the process was killed.
        """
        pool = None
        try:
            with _safe_path():  # the pool and its first call start processes
                if self._pool is None:  # other ways than "spawn" copy the threads and the streams of the server
                    self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin)
                pool = self._pool
                checked = asyncio.get_running_loop().run_in_executor(
                    pool, _check, project.root, dict(project.unsaved), target, baseline
                )
            found = await checked
        except BrokenProcessPool as error:
            if self._pool is pool:
                self._pool = None
            message = f"the process that checks {project.root} has ended; the next change starts it again"
            raise CheckerEnded(message) from error
        if isinstance(found, Checked):
            return found
        raise ConfigError(*found)

    def close(self) -> None:
        """End the process, and a check that is running."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
        for process in multiprocessing.active_children():
            process.terminate()
            process.join()


@contextmanager
def _safe_path() -> Iterator[None]:
    """Let processes that start take no modules from the working directory: a project may have `multiprocessing.py`."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def _begin() -> None:
    """Leave the streams, which are the editor's, and the processor to the server; end when the server is killed."""
    os.dup2(2, 1)
    if hasattr(os, "nice"):
        os.nice(5)
    threading.Thread(target=_end_with_server, daemon=True).start()


def _end_with_server() -> None:
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(1)


def _check(
    root: Path, unsaved: dict[str, str], target: Target, baseline: Mapping[Entry, int]
) -> Checked | tuple[tuple[Diagnostic, ...], Mapping[str, str]]:
    """Return a check, or the arguments of a ConfigError, which cannot be passed between processes."""
    project = _PROJECTS.setdefault(root, Project(root))
    project.unsaved = unsaved
    try:
        return project.check(target, baseline)
    except ConfigError as error:
        return error.diagnostics, error.sources
