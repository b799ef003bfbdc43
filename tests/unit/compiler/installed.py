"""A copy of toolgen with the layout of its wheel, which tests can change."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import toolgen

_SOURCE = Path(toolgen.__file__).parent


def install(folder: Path) -> Path:
    """Copy the tested toolgen into a folder and return the folder of its package."""
    package = folder / "toolgen"
    shutil.copytree(_SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
    for place, beside in (("templates", "templates"), ("toolsets/specs", "specs/builtin")):
        if not (package / place).is_dir():
            shutil.copytree(_SOURCE.parent / beside, package / place)
    return package


def run(package: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run Python with that toolgen."""
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
