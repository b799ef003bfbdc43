"""The wheel of this checkout, built once."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.project.checkout import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def build(kind: str, source: Path, out: Path) -> Path:
    """Build a `wheel` or an `sdist` from a source tree and return its path."""
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", out], cwd=source, check=True)
    (built,) = out.iterdir()
    return built


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))
