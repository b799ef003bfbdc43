"""The listing of specs: which files of a folder are some, and where built-in ones lie. Standard library only, quick."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.spec.files import is_inside

if TYPE_CHECKING:
    from pathlib import Path

SUFFIXES: Final = (".yaml", ".yml", ".json")
LARGEST: Final = 10 * 1024 * 1024
"""The size of a spec, in bytes."""

LEADS_OUT: Final = "this link leads out of the spec folder"
LEAVES_PROJECT: Final = "this link leads out of the project"

EVALUATIONS: Final = "evals"
"""The folder of a project that has its evaluations."""

EVALUATION_SUFFIXES: Final = (".eval.yaml", ".eval.yml", ".eval.json")

BUILTIN_PREFIX: Final = "toolgen://"
"""What the paths of built-in specs start with, wherever toolgen is installed. No path of a project's own file does."""

_TOOLGEN: Final = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@dataclass(frozen=True, slots=True, order=True)
class Listed:
    """One spec: its path, where it really lies, and what keeps it from being read, if so.

    The path is below the folder that was listed, with `/`; of a built-in spec it is the one that it is shown by.
    """

    path: str
    real: str
    problem: str = ""


def list_specs(folder: Path, project: Path | None = None) -> list[Listed]:
    """List the specs below a folder, by path. One below `project` that is a link out of it is not looked into.

    Specs are the files with one of `SUFFIXES`, at any depth; names that start with a dot are passed over. A link is
    followed inside the folder, and no file is listed twice: it goes by its own name rather than by a link's. What
    cannot be followed or opened is listed with its problem.
    """
    home = os.path.realpath(folder)
    if project and folder.is_relative_to(project) and not is_inside(home, os.path.realpath(project)):
        return [Listed(".", home, LEAVES_PROJECT)]
    found: list[Listed] = []
    seen: set[str] = set()
    places, links = [("", home)], list[str]()
    while places or links:
        path, real = places.pop() if places else _followed(folder, links.pop(0))
        if real in seen:
            continue
        seen.add(real)
        if not is_inside(real, home):
            found.append(Listed(path, real, LEADS_OUT))
        elif path and not os.path.isdir(real):
            found.append(Listed(path, real))
        else:
            try:
                entries = sorted(os.scandir(real), key=lambda each: each.name)
            except OSError as error:
                found.append(Listed(path or ".", real, f"this folder cannot be read: {error.strerror}"))
                continue
            for entry in entries:
                if entry.name.startswith(".") or not (entry.name.lower().endswith(SUFFIXES) or _is_folder(entry)):
                    continue
                inside = f"{path}/{entry.name}".lstrip("/")
                if entry.is_symlink():
                    links.append(inside)
                else:
                    places.append((inside, entry.path))
    return sorted(found)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def is_evaluation(path: str) -> bool:
    """Whether a path, relative to a project, is that of an evaluation."""
    return path.startswith(f"{EVALUATIONS}/") and path.lower().endswith(EVALUATION_SUFFIXES)


def list_evaluations(project: Path) -> dict[str, Listed]:
    """List the evaluations of a project by path, relative to it."""
    folder = project / EVALUATIONS
    if not os.path.isdir(folder):
        return {}
    found = {f"{EVALUATIONS}/{each.path}": each for each in list_specs(folder, project)}
    return {path: each for path, each in found.items() if each.problem or is_evaluation(path)}


def list_builtin(toolsets: Iterable[str]) -> list[Listed]:
    """List the specs of built-in toolsets, which come with toolgen, under the paths that they are shown by."""
    folder = builtin_folder()
    names = [f"{toolset}.yaml" for toolset in toolsets]
    return [Listed(f"{BUILTIN_PREFIX}{name}", os.path.realpath(os.path.join(folder, name))) for name in names]


def builtin_folder() -> str:
    """Return the folder of the built-in specs: inside the package where it was installed, beside it in a checkout."""
    inside = os.path.join(_TOOLGEN, "toolsets", "specs")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(_TOOLGEN), "specs", "builtin")


def _followed(folder: Path, path: str) -> tuple[str, str]:
    return path, os.path.realpath(os.path.join(folder, path))
