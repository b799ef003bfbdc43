"""The scheduling of tests: a worker that ends costs one test."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.project.checkout import ROOT

if TYPE_CHECKING:
    from pathlib import Path

CONFTEST = """
from tests.scheduling import ByModule

def pytest_xdist_make_scheduler(config, log):
    return ByModule(config, log)
"""

TESTS = """
import os

def test_one(): pass
def test_two(): os._exit(1)
def test_three(): pass
"""


@pytest.mark.slow
def test_a_test_that_ends_its_worker_is_not_run_again_and_the_others_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text(CONFTEST)
    for name in ("a", "b"):
        (tmp_path / f"test_{name}.py").write_text(TESTS if name == "a" else TESTS.replace("os._exit(1)", "pass"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", "-p", "no:langsmith_plugin"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "FAILED test_a.py::test_two - worker 'gw" in run.stdout
    assert "1 failed, 5 passed" in run.stdout
