"""Files that commands on specs change: which are meant, how they change, and writing them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolgen.cli.output import echo
from toolgen.compiler.project.listing import list_evaluations, list_specs
from toolgen.spec.text import line_end, visible, whole_lines
from toolgen.spec.writing import Changed, replace_inside

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
    """Return the unified difference of texts, by path. A line end that is not that of the new text is shown."""
    lines: list[str] = []
    for path, text in sorted(after.items()):
        end = line_end(text)
        made = unified_diff(whole_lines(before[path]), whole_lines(text), f"a/{path}", f"b/{path}", lineterm=end)
        lines += [f"{visible(line.removesuffix(end))}\n" for line in made]
    return "".join(lines)


def write_texts(
    config: Config, before: Mapping[str, str | None], texts: Mapping[str, str], *, command: str
) -> Sequence[str]:
    """Write files of the project, each as a whole: a new file takes the place of the one that was read, None for none.

    Links are followed inside the project. One that somebody else has written since stays, and is reported: `command`
    is what to run again. Returns the paths of those that were written. Raises click.UsageError if one cannot be
    written, when all others are.
    """
    written: list[str] = []
    failed: list[str] = []
    for path, text in texts.items():
        known = before[path]
        read = None if known is None else known.encode("utf-8", "surrogateescape")
        try:
            replace_inside(config.root, path, read, text.encode("utf-8"))
        except Changed:
            echo(f"{path} has changed meanwhile: run `{command}` again", err=True)
        except OSError as error:
            failed.append(f"{path} cannot be written: {error.strerror}.")
        else:
            written.append(path)
    if failed:
        raise click.UsageError("\n".join(failed))
    return written
