"""The commands of the README's first screen."""

from __future__ import annotations

import subprocess

from tests.project.checkout import ROOT


def test_make_demo_builds_a_project_and_makes_its_calls() -> None:
    done = subprocess.run(["make", "demo"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, *calls = done.stdout.splitlines()
    assert first.startswith("generated: ")
    assert [line.partition(":")[0] for line in calls] == ["typed call", "raw JSON call", *["refused"] * 3]
