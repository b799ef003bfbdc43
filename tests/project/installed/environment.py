"""Environment: a separate virtual environment for a test, filled from the locked wheels that `make` left in .venv."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

WHEELS = Path(sys.prefix) / "wheels"


@dataclass(frozen=True)
class Environment:
    """A virtual environment in `folder`, isolated from the checkout and the environment of this process."""

    folder: Path

    @classmethod
    def make(cls, folder: Path, interpreter: str | Path = sys.executable) -> Environment:
        """Create an empty one, without pip."""
        subprocess.run([interpreter, "-m", "venv", "--without-pip", folder], check=True)
        return cls(folder)

    @property
    def python(self) -> Path:
        """The interpreter."""
        return self.folder / "bin" / "python"

    def install(self, *requirements: str, index: bool = False, beside: Path | None = None) -> None:
        """Install as `pip install` does: from the locked wheels and those in the folder `beside`, or from the index."""
        assert index or WHEELS.is_dir(), f"{WHEELS} is missing: run the tests with `make test`"
        places = [part for each in (WHEELS, beside) if each for part in ("--find-links", str(each))]
        source = [] if index else ["--isolated", "--no-index", *places]
        self._pip("install", "--quiet", "--no-compile", *source, *requirements)

    def download(self, folder: Path, names: Collection[str]) -> None:
        """Download the wheels for its interpreter of locked packages whose wheels are for one version of Python."""
        locked = [path.name.split("-")[:2] for path in WHEELS.glob("*.whl")]
        pins = [f"{name}=={version}" for name, version in locked if name in names]
        assert len(pins) == len(names), f"{sorted(names)} are not all in {WHEELS}"
        self._pip("download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(folder), *pins)

    def _pip(self, *arguments: str) -> None:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(self.python)]
        subprocess.run([*pip, *arguments], check=True)

    def installed(self) -> set[str]:
        """Return the names of all distributions in it."""
        code = "import importlib.metadata as m; print(*(found.name for found in m.distributions()))"
        return set(self.run("-c", code).stdout.split())

    def run(self, *arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run its interpreter with these arguments, in a folder that is not on the import path."""
        own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHON"))}
        command = [self.python, "-P", *arguments]
        return subprocess.run(command, cwd=cwd or self.folder, env=own, capture_output=True, text=True, check=False)
