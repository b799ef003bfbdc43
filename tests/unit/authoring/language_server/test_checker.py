"""The process that checks whole projects: its results, and its end."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.project.checkout import ROOT
from tests.unit.authoring.language_server.project import FILES, create
from toolgen.authoring.language_server.session import Checker, CheckerEnded
from toolgen.authoring.language_server.workspace import Project
from toolgen.authoring.lint.lint import lint
from toolgen.compiler.diagnostics import Severity
from toolgen.compiler.project.config import ConfigError

ORDERS = "specs/shop/orders.yaml"
SERVER = """
import asyncio, multiprocessing, sys, time
from pathlib import Path
from toolgen.authoring.language_server.session import Checker
from toolgen.authoring.language_server.workspace import Project

async def check():
    project = Project(Path(sys.argv[1]))
    await checker.check(project, project.config().targets[0], {})
    print(multiprocessing.active_children()[0].pid, flush=True)
    time.sleep(60)

if __name__ == "__main__":
    checker = Checker()
    asyncio.run(check())
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    create(tmp_path)
    return Project(tmp_path)


def test_a_check_sees_texts_that_are_not_saved(project: Project) -> None:
    async def body() -> None:
        checker = Checker()
        target = project.config().targets[0]
        try:
            assert (await checker.check(project, target, {})).tools
            project.unsaved[ORDERS] = FILES[ORDERS].replace("bind: Refund", "bind: Refnd")
            found = await checker.check(project, target, {})
            assert found == project.check(target, {})
            assert [each.code for each in found.found[ORDERS]] == ["TG403"]
            project.unsaved.clear()
            assert await checker.check(project, target, {}) == project.check(target, {})
        finally:
            checker.close()

    asyncio.run(body())
    while multiprocessing.active_children():  # until the pool's thread has seen the end of its process
        time.sleep(0.01)


def test_notes_that_the_command_line_hides_are_not_among_the_findings(project: Project) -> None:
    target = project.config().targets[0]
    linted = lint(project.config(), {target: [each.spec for each in project.files(target) if each.spec]})
    listed = {each for each in linted.findings if each.severity is not Severity.NOTE}
    assert listed != {*linted.findings}
    found = project.check(target, {})
    assert {each for some in found.found.values() for each in some} == listed
    assert {*found.fixes} <= listed


def test_tools_that_a_provider_of_the_exports_cannot_take_are_reported_as_by_a_build(project: Project) -> None:
    (project.root / "toolgen.toml").write_text('[[targets]]\nexport = ["anthropic"]\n')
    project.unsaved[ORDERS] = FILES[ORDERS].replace("to?: Address", "'r&d': string")
    found = project.check(project.config().targets[0], {}).found[ORDERS]
    assert [each.code for each in found if each.severity is Severity.ERROR] == ["TG413"]


def test_an_error_in_the_configuration_is_raised(project: Project) -> None:
    async def body() -> None:
        checker = Checker()
        target = project.config().targets[0]
        (project.root / "toolgen.toml").write_text("targets = 1\n")
        try:
            with pytest.raises(ConfigError, match="targets") as caught:
                await checker.check(project, target, {})
        finally:
            checker.close()
        with pytest.raises(ConfigError) as expected:
            project.config()
        assert caught.value.diagnostics == expected.value.diagnostics
        assert caught.value.sources == expected.value.sources

    asyncio.run(body())


@pytest.mark.long
def test_a_killed_process_is_an_error_and_the_next_check_starts_another(project: Project) -> None:
    async def body() -> None:
        checker = Checker()
        target = project.config().targets[0]
        try:
            await checker.check(project, target, {})
            (process,) = multiprocessing.active_children()
            process.kill()
            process.join()
            with pytest.raises(CheckerEnded, match="starts it again"):
                await checker.check(project, target, {})
            assert (await checker.check(project, target, {})).tools
        finally:
            checker.close()

    asyncio.run(body())


def test_the_process_ends_when_its_server_is_killed(project: Project, tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    command = [sys.executable, str(script), str(project.root)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=with_checkout()) as server:
        assert server.stdout is not None
        pid = int(server.stdout.readline())
        os.kill(server.pid, signal.SIGKILL)
    for _ in range(200):
        if not Path(f"/proc/{pid}").exists():
            return
        time.sleep(0.05)
    pytest.fail("the process goes on")


def with_checkout() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}
