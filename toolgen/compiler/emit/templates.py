"""The jinja2 templates: one for each kind of generated file. They receive strings and only define the layout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def templates_folder() -> Path:
    """Return the folder of templates: inside an installed package, or next to it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    installed = package / "templates"
    return installed if installed.is_dir() else package.parent / "templates"


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(templates_folder()),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701  # Python source, in which every string is a finished literal
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render(template: str, values: Mapping[str, Any]) -> str:
    """Render one template. Raises jinja2.UndefinedError if a value is missing."""
    return _environment().get_template(template).render(values)


_REEXPORTS: Final = 116
"""Maximum characters of a line that exports names again, which is indented by four."""


def import_lines(origins: Mapping[str, Iterable[str]], *, reexport: bool = False) -> str:
    """Return import statements, sorted and grouped, of module to names.

    With `reexport` names are marked as exported, and names that do not fit on one line have a line each.
    """
    groups: dict[int, list[str]] = {}
    for module in sorted(
        origins, key=lambda module: (-module.count("."), module) if module.startswith(".") else (0, module)
    ):
        names = sorted(set(origins[module]), key=lambda name: (not name.isupper(), name[0].islower(), name))
        shown = [f"{name} as {name}" for name in names] if reexport else names
        lines = [f"from {module} import {', '.join(shown)}"] if names else []
        if reexport and names and len(lines[0]) > _REEXPORTS:
            lines = [f"from {module} import {each}" for each in shown]
        groups.setdefault(_group(module), []).extend(lines)
    return "\n\n".join("\n".join(groups[group]) for group in sorted(groups) if groups[group])


def _group(module: str) -> int:
    """Return the group: standard library, libraries, toolgen, the package itself."""
    if module.startswith("."):
        return 3
    return {"pydantic": 1, "toolgen": 2}.get(module.partition(".")[0], 0)
