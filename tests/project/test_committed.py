"""Committed packages match their specs."""

from __future__ import annotations

import subprocess
import sys

from tests.project.checkout import ROOT


def test_committed_packages_match_their_specs() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "toolgen", "build", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
