"""The versions of a project while its files are edited: its configuration, and what has changed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolgen.authoring.watch.changes import Watcher
from toolgen.compiler.project.config import OWN_FILE, PROJECT_FILE, Config, ConfigError, load_config

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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
    settings = [root / name for name in (OWN_FILE, PROJECT_FILE)]
    watcher = Watcher(settings)
    changed: tuple[str, ...] = ()
    while True:
        config = _load(root)
        if isinstance(config, Config):
            watcher.watch([*settings, *(root / target.specs for target in config.targets)])
        yield Version(config, changed)
        for batch in watcher.batches():
            changed = tuple(sorted(_shown(path, root) for path in batch))
            if any(str(path) in batch for path in settings):
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
