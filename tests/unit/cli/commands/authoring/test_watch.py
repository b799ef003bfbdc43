"""`build --watch`: the real process, real edits."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen
from tests.unit.cli.forked_python import forked_python
from tests.unit.compiler.specs import toolset

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process"),
]


class Watching:
    """A process that watches a project, and its output until it waits for a change."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [forked_python(), "-m", "toolgen", "build", "--watch", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def shown(self, until: str = "watching for changes") -> str:
        """Return what is shown until the process waits."""
        assert self.process.stdout is not None
        lines: list[str] = []
        for line in self.process.stdout:
            lines.append(line)
            if until in line:
                return "".join(lines)
        raise AssertionError(f"the process ended:\n{''.join(lines)}")

    def stop(self) -> tuple[int, str]:
        """Interrupt the process, as Ctrl-C does; return its exit code and its last words."""
        self.process.send_signal(signal.SIGINT)
        out, _ = self.process.communicate(timeout=60)
        return self.process.returncode, out


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "specs").mkdir()
    write(tmp_path, {"add": {"args": {"name": "string"}}})
    return tmp_path


def write(folder: Path, tools: dict[str, Any]) -> None:
    (folder / "specs" / "shop.yaml").write_text(toolset(tools), encoding="utf-8")


def idents(folder: Path) -> list[str]:
    return list(json.loads((folder / "generated" / "catalog.json").read_text("utf-8"))["tools"])


def test_it_builds_after_each_change_and_keeps_the_last_good_package_on_errors(project: Path) -> None:
    watching = Watching(project)
    assert "generated: " in watching.shown()
    assert idents(project) == ["shop.add"]

    write(project, {"add": {"args": {"name": "Nothing"}}})
    shown = watching.shown()
    assert "specs/shop.yaml changed\n" in shown
    assert "TG201" in shown
    assert "generated: not built" in shown
    assert idents(project) == ["shop.add"]

    write(project, {"find": {"args": {"name": "string", "limit": {"type": "integer", "default": "ten"}}}})
    shown = watching.shown()
    assert "TG208" in shown
    assert idents(project) == ["shop.find"]

    (project / "toolgen.toml").write_text('[[targets]]\nout = "package"\n')
    assert "package: " in watching.shown()
    (project / "toolgen.toml").write_text("[[targets]]\nout = 1\n")
    assert "TG705" in watching.shown()
    (project / "toolgen.toml").write_text('[[targets]]\nspecs = "elsewhere"\n')
    assert "the `specs` folder `elsewhere` of a target does not exist" in watching.shown()
    (project / "toolgen.toml").write_text('[[targets]]\nspecs = "specs"\nout = "package"\n')
    assert "package: up to date" in watching.shown()

    assert watching.stop() == (130, "\nstopped\n")
    assert toolgen(project, "build", "--check").code == 0


def test_as_json_each_build_is_one_line(project: Path) -> None:
    watching = Watching(project, "--format", "json", "--timings")
    first = json.loads(watching.shown("{"))
    write(project, {"find": {"args": {}}})
    second = json.loads(watching.shown("{"))
    watching.stop()

    assert (first["changed"], second["changed"]) == ([], ["specs/shop.yaml"])
    assert "catalog.json" in second["targets"][0]["written"]
    assert second["targets"][0]["timings"]["cache"]["toolset"] == {"found": 0, "missing": 1}


def test_a_build_is_not_checked_and_watched_at_once(project: Path) -> None:
    found = toolgen(project, "build", "--check", "--watch")

    assert (found.code, "nothing to watch for" in found.err) == (2, True)


def test_timings_are_the_seconds_of_stages_what_was_cached_and_memory(project: Path) -> None:
    made = toolgen(project, "build", "--timings", "--format", "json").json["targets"][0]["timings"]
    stages = ["comparing inputs", "reading specs", "resolving", "generating", "formatting", "publishing"]
    assert list(made["stages"]) == [*stages, "writing derived data"]
    assert made["seconds"] == pytest.approx(sum(stage["seconds"] for stage in made["stages"].values()), abs=1e-4)
    assert sum(stage["share"] for stage in made["stages"].values()) == pytest.approx(1, abs=0.01)
    assert made["cache"]["toolset"] == {"found": 0, "missing": 1}
    assert 10_000_000 < made["peak_memory_bytes"] < 1_000_000_000

    (project / "specs" / "b.yaml").write_text(toolset({"x": {"args": {}}}, name="b"), encoding="utf-8")
    shown = toolgen(project, "build", "--timings").out
    assert "cache: 1 of 2 toolset\n" in shown
    assert re.search(r"^ +\d\.\d{3} s +\d+\.\d%  resolving$", shown, re.MULTILINE)
    assert re.search(r"^  peak memory: \d+ MB$", shown, re.MULTILINE)
    shown = toolgen(project, "build", "--timings").out
    assert re.findall(r"%  (.+)$", shown, re.MULTILINE) == ["comparing inputs"]
