"""Folders of a project: where packages are imported from, and what is said where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.compiler.project.config import OWN_FILE, PROJECT_FILE

if TYPE_CHECKING:
    from pathlib import Path


def no_project(specs: str) -> str:
    """Return the error for a folder without a project, with how to create one."""
    where = f"neither {OWN_FILE} nor {PROJECT_FILE} configures toolgen, and there is no folder `{specs}`"
    return f"There is no project here: {where}. Create one with `toolgen init`, or give its folder with -C."


def import_name(root: Path, out: str) -> tuple[Path, str]:
    """The folder that a generated package is imported from, and its dotted name, with parent packages."""
    folder, parts = (root / out).parent, [(root / out).name]
    while folder != root and (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(parts)
