"""Watching: the changes of what a project is read from, in batches."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from toolgen.authoring.inputs import inputs, settings
from toolgen.compiler.project.config import Config, ConfigError, load_config
from toolgen.compiler.project.listing import list_specs

# Changes of files, found by looking at them in turn.
#
# A look at 1,000 specs takes 10 ms, and at 60 less than 1 ms. A library that asks the operating system would save
# these, but learns nothing of network file systems and of some containers. A file counts as changed by anything of
# its state but the time when it was last read, so that a clock that goes back hides nothing.

PAUSE: Final = 0.1
"""Seconds between two looks."""

QUIET: Final = 0.1
"""Seconds without a change after which a batch is complete: editors and version control write several files."""

_LONGEST: Final = 2.0
"""Seconds after which a batch is complete in any case, where files change all the time."""

_State: TypeAlias = tuple[int, ...]


def changes(paths: Iterable[Path]) -> Iterator[frozenset[str]]:
    """Iterate over batches of changed files, from now on and without end. `paths` are files, and folders of specs."""
    return Watcher(paths).batches()


class Watcher:
    """Files, and folders of specs, as they were when last looked at: first when it is created.

    `sleep` and `now` are those of `time`.
    """

    def __init__(
        self,
        paths: Iterable[Path],
        *,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sleep = sleep
        self._now = now
        self._seen = {path: _look(path) for path in paths}

    def watch(self, paths: Iterable[Path]) -> None:
        """Watch these paths from now on, and no others. Of those that were watched, changes since then still count."""
        self._seen = {path: self._seen[path] if path in self._seen else _look(path) for path in paths}

    def batches(self) -> Iterator[frozenset[str]]:
        """Iterate over batches of changed files, by their real paths, without end.

        A file that appears or vanishes counts as changed. What changes while a batch is used is in the next one.
        """
        while True:
            changed = self._changed()
            if not changed:
                self._sleep(PAUSE)
                continue
            begun = self._now()
            while self._now() - begun < _LONGEST:
                self._sleep(QUIET)
                more = self._changed()
                changed |= more
                if not more:
                    break
            yield frozenset(changed)

    def _changed(self) -> set[str]:
        """Return the files that have changed since the last look."""
        changed: set[str] = set()
        for path, before in self._seen.items():
            self._seen[path] = after = _look(path)
            changed |= {each for each in before.keys() | after.keys() if before.get(each) != after.get(each)}
        return changed


def _look(path: Path) -> dict[str, _State]:
    """Return the state of a file that is there, or of all that is listed as a spec in a folder, by real path."""
    if path.is_dir():
        return {listed.real: _state(listed.real) for listed in list_specs(path)}
    return {str(path): _state(str(path))} if os.path.lexists(path) else {}


def _state(path: str) -> _State:
    """Return the state of a file; empty for one that is named and cannot be looked at, such as by a link to nothing."""
    try:
        state = Path(path).stat()
    except OSError:
        return ()
    return state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino, state.st_mode


# The versions of a project while its files are edited: its configuration, and what has changed.


@dataclass(frozen=True, slots=True)
class Version:
    """A project at one time: its configuration, or what is wrong with it, and the paths that have changed.

    `changed` are relative to the project where they are inside it, sorted; the first version has none.
    """

    config: Config | ConfigError
    changed: tuple[str, ...] = ()


def versions(root: Path) -> Iterator[Version]:
    """Iterate over the versions of the project in a folder, without end: first the present one, at once.

    A configuration that changes is read again, and its folders are watched from then on. One with errors is a version
    too, and the folders of the last one without errors stay watched.
    """
    watcher = Watcher(inputs(root))
    changed: tuple[str, ...] = ()
    while True:
        config = _load(root)
        if isinstance(config, Config):
            watcher.watch(inputs(root, config))
        yield Version(config, changed)
        for batch in watcher.batches():
            changed = tuple(sorted(_shown(path, root) for path in batch))
            if any(str(path) in batch for path in settings(root)):
                break
            yield Version(config, changed)


def _load(root: Path) -> Config | ConfigError:
    try:
        return load_config(root)
    except ConfigError as error:
        return error


def _shown(path: str, root: Path) -> str:
    relative = os.path.relpath(path, root).replace(os.sep, "/")
    return path if relative.startswith("../") else relative
