"""Folders of a project: where modules are imported from, and what is said where there is none."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolgen.compiler.project.config import OWN_FILE, PROJECT_FILE, ConfigError, load_config
from toolgen.runtime.base.located import forget, is_located, locate, run_parents

if TYPE_CHECKING:
    from toolgen.compiler.project.config import Config


def no_project(specs: str) -> str:
    """Return the error for a working directory without a project, with how to use one above it, or to create one.

    One above is only named: a command takes no code from a folder that it was not pointed at.
    """
    where = f"neither {OWN_FILE} nor {PROJECT_FILE} configures toolgen, and there is no folder `{specs}`"
    return f"There is no project here: {where}. {_project_above() or _NEW}"


_NEW = "Create one with `toolgen init`, or give its folder with -C."


def _project_above() -> str:
    """Return which folder above the working directory has a project, and how to use it; empty if none has."""
    levels = next((level for level, folder in enumerate(Path.cwd().parents, 1) if _is_configured(folder)), 0)
    if not levels:
        return ""
    context = click.get_current_context()
    folder = str(Path(context.find_root().params.get("folder") or "", *[".."] * levels))
    program, _, command = context.command_path.partition(" ")
    return f"There is one in `{folder}`: `{program} -C {shlex.quote(folder)} {command}`"


def _is_configured(folder: Path) -> bool:
    try:
        return bool(load_config(folder).file)
    except ConfigError:
        return (folder / OWN_FILE).exists()


def import_name(root: Path, out: str) -> tuple[Path, str]:
    """The folder that a generated package is imported from, and its dotted name, with parent packages."""
    folder, parts = (root / out).parent, [(root / out).name]
    while folder != root and (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(parts)


def importable(config: Config) -> None:
    """Let the modules of a project be imported, of its folder and those of its packages; for what runs its code.

    They come after those of the standard library and installed ones: a module of the project takes the place of none
    that toolgen uses. Its packages are those in its folder, whatever the import path has under their names. Raises
    what the parents of its packages raise.
    """
    from toolgen.execute.python.modules import is_installed  # only what runs code needs it

    folders = [str(config.root)]
    for target in config.targets:
        folder, name = import_name(config.root, target.out)
        folders.append(str(folder))
        place = config.root / target.out
        if not is_located(name) and (place / "catalog.json").exists():
            locate_for_command(name, place, files=None)
    after = max((place for place, folder in enumerate(sys.path, 1) if is_installed(folder)), default=0)
    sys.path[after:after] = [folder for folder in dict.fromkeys(folders) if folder not in sys.path]
    run_parents()


def locate_for_command(name: str, folder: Path, files: Collection[str] | None) -> None:
    """Let a package be imported from its folder alone, as `locate` does, until the command that runs has ended."""
    locate(name, folder, files)
    context = click.get_current_context(silent=True)
    if context is not None:
        context.call_on_close(partial(forget, name))


def is_importable(root: Path) -> bool:
    """Return whether the modules of a project can be imported."""
    return str(root) in sys.path
