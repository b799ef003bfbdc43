"""Files that commands on specs change: which are meant, how they change, and writing them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolgen.compiler.project.listing import list_evaluations, list_specs
from toolgen.spec.text import visible, whole_lines
from toolgen.spec.writing import write_inside

if TYPE_CHECKING:
    from toolgen.compiler.project.config import Config


def paths_of(config: Config, arguments: Sequence[str]) -> set[str] | None:
    """Return the specs and evaluations that files and folders on the command line mean; None without any.

    Paths are relative to the project.

    Raises click.UsageError for one that is not there, or is no spec of the project.
    """
    if not arguments:
        return None
    known = [path for target in config.targets for path in specs_of(config, target.specs)]
    known += list_evaluations(config.root)
    meant: set[str] = set()
    for argument in arguments:
        path = Path(os.path.relpath(argument, config.root)).as_posix()
        found = {each for each in known if path in (".", each) or each.startswith(f"{path}/")}
        if not found:
            reason = "is not a spec of this project" if _exists(argument) else "does not exist"
            raise click.UsageError(f"{argument} {reason}.")
        meant |= found
    return meant


def _exists(path: str) -> bool:
    return os.path.exists(path)  # noqa: PTH110  # raises nothing for a name that is too long


def specs_of(config: Config, folder: str) -> list[str]:
    """Return the specs below the folder of a target, relative to the project."""
    return [Path(folder, each.path).as_posix() for each in list_specs(config.root / folder, config.root)]


def difference_of(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Return the unified difference of texts, by path."""
    lines: list[str] = []
    for path, text in sorted(after.items()):
        made = unified_diff(whole_lines(before[path]), whole_lines(text), f"a/{path}", f"b/{path}")
        lines += [f"{visible(line.rstrip(chr(10)))}\n" for line in made]
    return "".join(lines)


def write_texts(config: Config, texts: Mapping[str, str]) -> None:
    """Write files of the project, each as a whole: a new file takes the place of the old one.

    Links are followed inside the project. Raises click.UsageError for the first one that cannot be written.
    """
    for path, text in texts.items():
        try:
            write_inside(config.root, path, text.encode("utf-8"))
        except OSError as error:
            raise click.UsageError(f"{path} cannot be written: {error.strerror}.") from error
