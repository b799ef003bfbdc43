"""The GitHub action and the hooks of pre-commit, run as they are written on a scratch repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.project.checkout import ROOT
from tests.unit.authoring.diff.repository import Project, git
from tests.unit.cli.command_line import toolgen
from tests.unit.cli.forked_python import forked_python

if TYPE_CHECKING:
    from collections.abc import Mapping

ACTION: Any = yaml.safe_load((ROOT / ".github/actions/check/action.yml").read_text(encoding="utf-8"))
HOOKS: Any = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
AFTER_INSTALL = "${{ !cancelled() && steps.install.outcome == 'success' }}"
CLEAN = (
    ("toolset: shop.orders\n", "toolset: shop.orders\n\n"),
    ("Find orders.", "Find the orders of a customer by a part of the name."),
)
"""Edits after which the spec is formatted, and lint finds nothing in it."""

BREAKING = (*CLEAN, ("maximum: 50", "maximum: 20"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "services" / "my shop").mkdir(parents=True)
    project = Project(tmp_path / "services" / "my shop")
    shutil.move(project.folder / ".git", tmp_path / ".git")
    (tmp_path / "bin").mkdir()
    launcher = tmp_path / "bin" / "toolgen"
    launcher.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{forked_python()}" -m toolgen "$@"\n')
    launcher.chmod(0o755)
    (tmp_path / ".git" / "info" / "exclude").write_text("/bin/\n/runner/\n")
    project.edit(*CLEAN)
    assert toolgen(project.folder, "build").code == 0
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message=x")
    git(tmp_path, "update-ref", "refs/remotes/origin/release", "HEAD")
    return project


class Runner:
    """Runs the steps of the action as GitHub does: in bash, with inputs, outputs and a summary."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.place = top / "runner"
        self.place.mkdir()

    def run(self, inputs: Mapping[str, str], base: str = "release") -> list[subprocess.CompletedProcess[str]]:
        """Run the steps; after one that failed only those with a condition, which is that toolgen is installed."""
        values = {name: given["default"] for name, given in ACTION["inputs"].items()} | dict(inputs)
        done: list[subprocess.CompletedProcess[str]] = []
        for step in ACTION["runs"]["steps"]:
            assert step.get("if") in (None, AFTER_INSTALL)
            if any(each.returncode for each in done) and ("if" not in step or done[0].returncode):
                continue
            env = {name: self._evaluated(text, values, base) for name, text in step.get("env", {}).items()}
            script = self.place / "script.sh"
            script.write_text(step["run"])
            own = {
                **os.environ,
                **env,
                "PATH": f"{self.top / 'bin'}{os.pathsep}{os.environ['PATH']}",
                "RUNNER_TEMP": str(self.place),
                "GITHUB_OUTPUT": str(self.place / "output"),
                "GITHUB_STEP_SUMMARY": str(self.place / "summary"),
                "GITHUB_ACTION_PATH": str(ROOT / ".github/actions/check"),
            }
            command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
            done.append(subprocess.run(command, cwd=self.top, env=own, capture_output=True, text=True, check=False))
        return done

    def text(self, name: str) -> str:
        return (self.place / name).read_text()

    def _evaluated(self, text: str, values: Mapping[str, str], base: str) -> str:
        known = {**{f"inputs.{name}": value for name, value in values.items()}, "github.base_ref": base}
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda match: known[match[1]], text)


def test_the_action_reports_a_breaking_change_and_fails(project: Project) -> None:
    project.edit(*BREAKING)
    assert toolgen(project.folder, "build").code == 0
    runner = Runner(project.folder.parents[1])
    done = runner.run({"folder": "services/my shop"})
    assert [each.returncode for each in done[:-1]] == [0] * (len(done) - 1), done
    assert done[-1].returncode == 1, done[-1].stderr
    assert "::error title=WIRE203 arg-narrowed,file=services/my shop/specs/orders.yaml,line=10" in done[-1].stdout
    assert "#### Breaking: 1 (1 wire)" in runner.text("summary")
    output = dict(line.split("=", 1) for line in runner.text("output").splitlines())
    assert output["bump"] == "major"
    assert Path(output["comment"]).read_text() == runner.text("summary")


def test_the_action_passes_without_breaking_changes(project: Project) -> None:
    runner = Runner(project.folder.parents[1])
    done = runner.run({"folder": "services/my shop", "against": "HEAD"}, base="")
    assert [each.returncode for each in done] == [0] * len(done), done[-1].stderr
    assert runner.text("output").startswith("bump=none\n")


def test_the_action_fails_where_a_package_is_out_of_date_and_reports_all_else(project: Project) -> None:
    project.edit(*BREAKING)
    done = Runner(project.folder.parents[1]).run({"folder": "services/my shop"})
    assert [each.returncode for each in done] == [0, 1, 0, 0, 1]
    assert "run `toolgen build`" in done[1].stderr
    assert "::error title=WIRE203 arg-narrowed" in done[-1].stdout


def test_inputs_of_the_action_are_only_values(project: Project) -> None:
    hostile = '"; touch /tmp/x; $(touch evil) `touch evil`'
    done = Runner(project.folder.parents[1]).run({"folder": "services/my shop", "against": hostile})
    assert done[-1].returncode == 2
    assert "is no commit of a git repository" in " ".join(done[-1].stderr.split())
    assert not list(project.folder.parents[1].rglob("evil"))
    assert all("${{" not in step["run"] for step in ACTION["runs"]["steps"])


def hook_config(hooks: list[dict[str, Any]]) -> str:
    """Return the configuration of a project that runs the hooks with the toolgen that is installed."""
    local = [{**hook, "language": "system"} for hook in hooks]
    for hook in local:
        del hook["additional_dependencies"]
    return yaml.safe_dump({"repos": [{"repo": "local", "hooks": local}]})


def test_hooks_run_by_pre_commit(tmp_path: Path) -> None:
    pytest.importorskip("pre_commit")
    project = Project(tmp_path)
    project.edit(*CLEAN)
    assert toolgen(tmp_path, "build").code == 0
    project.write(hook_config(HOOKS), ".pre-commit-config.yaml")
    project.commit()
    assert hook_codes(project) == {hook["id"]: 0 for hook in HOOKS}
    project.edit(*BREAKING)
    assert hook_codes(project) == {hook["id"]: int(hook["id"] not in PASSING) for hook in HOOKS}


PASSING = ("toolgen-fmt", "toolgen-lint")
"""Hooks that a lower maximum does not fail."""


def hook_codes(project: Project) -> dict[str, int]:
    """Run the hooks of each stage; return whether each one failed."""
    failed: dict[str, int] = {}
    for stage in ("pre-commit", "pre-push"):
        done = run_hook(project, ["run", "--all-files", "--verbose", "--hook-stage", stage])
        shown = re.findall(r"^- hook id: (\S+)\n(?:- duration: .*\n)?(- exit code: 1\n)?", done.stdout, re.MULTILINE)
        assert done.returncode == any(code for _, code in shown), done.stdout
        failed |= {hook: int(bool(code)) for hook, code in shown}
    return failed


def run_hook(project: Project, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    bin_ = project.folder.parent / f"{project.folder.name}-bin"
    bin_.mkdir(exist_ok=True)
    launcher = bin_ / "toolgen"
    launcher.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{forked_python()}" -m toolgen "$@"\n')
    launcher.chmod(0o755)
    own = {
        **os.environ,
        "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(project.folder.parent / f"{project.folder.name}-cache"),
    }
    command = [sys.executable, "-m", "pre_commit", *arguments]
    return subprocess.run(command, cwd=project.folder, env=own, capture_output=True, text=True, check=False)


@pytest.mark.long
def test_hooks_install_from_the_repository(tmp_path: Path) -> None:
    pytest.importorskip("pre_commit")
    project = Project(tmp_path)
    hook = ["try-repo", str(ROOT), "toolgen-diff", "--all-files", "--hook-stage", "pre-push"]
    done = run_hook(project, hook)
    assert done.returncode == 0, done.stdout + done.stderr
    project.edit(*BREAKING)
    assert "breaking[WIRE203 arg-narrowed]" in run_hook(project, hook).stdout
