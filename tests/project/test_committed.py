"""What is committed: packages match their specs, and specs are formatted."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.project.checkout import ROOT


@pytest.mark.parametrize("command", ["build", "fmt"])
def test_a_check_finds_nothing_to_change(command: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "toolgen", command, "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
