"""Command line: toolgen as a user runs it, in a folder, with what it printed and its exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.project.checkout import ROOT

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Finished:
    """One run of one command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed with `--format json`."""
        return json.loads(self.out)


def toolgen(folder: Path, *arguments: str, stdin: str = "") -> Finished:
    """Run a command in a folder, in a process of its own: generated packages stay imported for as long as one lives."""
    command = [sys.executable, "-m", "toolgen", "-C", str(folder), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, encoding="utf-8", env=environment, check=False
    )
    return Finished(done.returncode, done.stdout, done.stderr)
