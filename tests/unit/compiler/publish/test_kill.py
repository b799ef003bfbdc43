"""The real `toolgen build`, killed at every write in turn: the next command finds a complete package, old or new."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.programs.small_process import assert_holds
from tests.unit.compiler.specs import resolved, toolset
from toolgen.cli.front import run
from toolgen.compiler.compile import generate
from toolgen.runtime.base.located import clear_package_caches
from toolgen.spec.derived import DERIVED

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are killed in forks of this one"),
    pytest.mark.xdist_group("kill"),
]

OLD: Final = {
    "orders.json": toolset({"refund": {"args": {"order": "string"}}, "find": {}}),
    "gone.json": toolset({"forget": {"args": {"all?": "boolean"}}}, name="crm.gone"),
}
NEW: Final = {
    "orders.json": toolset({"refund": {"args": {"order": "string", "note?": "string"}}, "list": {}}),
    "new.json": toolset({"remember": {"result": {"id": "integer"}}}, name="crm.new.deep"),
}
CALL: Final = json.dumps({"tool": "shop.refund", "arguments": {"order": "o"}, "accept": True})
WRITES: Final = {
    "os.link": 1,
    "os.mkdir": 0,
    "os.remove": 0,
    "os.rename": 1,
    "os.rmdir": 0,
    "os.symlink": 1,
    "os.truncate": 0,
}
"""The audit events for disk changes, with the index of the changed path; `open` is handled separately."""


def kill() -> None:
    """Kill this process before its next operation."""
    os.kill(os.getpid(), signal.SIGKILL)


def break_off() -> None:
    """Have the kernel kill this process after the first byte of the next file that it writes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1))


def before_writes(folder: Path, action: Callable[[int], object]) -> None:
    """From now on, call `action` right before this process changes anything in `folder`, with a number from 0."""
    numbers = count()

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path = arguments[0] if arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) else None
        else:
            path = arguments[WRITES[event]] if event in WRITES else None
        if isinstance(path, str) and path.startswith(f"{folder}{os.sep}"):
            action(next(numbers))

    sys.addaudithook(hook)


def forget_packages() -> None:
    """Unload packages, so that this process loads a `generated` package other than that of another test."""
    clear_package_caches()
    for name in [name for name in sys.modules if name.partition(".")[0] == "generated"]:
        del sys.modules[name]


def toolgen(folder: Path, *arguments: str, before: Callable[[], None] = lambda: None) -> int:
    """Run a command in a separate process and return its exit code, negative if a signal ended it.

    It is a fork of this process, which has imported the compiler: a new interpreter would take a second each time.
    """
    child = os.fork()
    if child == 0:
        code = 70
        try:
            silence = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(silence, stream)
            sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  # until the end
            forget_packages()
            before()
            code = run(["-C", str(folder), *arguments])
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def write_specs(folder: Path, specs: dict[str, str]) -> None:
    shutil.rmtree(folder / "specs", ignore_errors=True)
    (folder / "specs").mkdir(parents=True)
    for name, text in specs.items():
        (folder / "specs" / name).write_text(text, encoding="utf-8")


def content(folder: Path) -> dict[str, bytes | None]:
    """Return every file and folder of the package, without bytecode and derived data."""
    made = {"__pycache__", DERIVED}
    paths = sorted(path for path in (folder / "generated").rglob("*") if made.isdisjoint(path.parts))
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in paths}


class Project:
    """A project whose package was built from some specs, or not at all, and will be built from `NEW`."""

    def __init__(self, folder: Path, old: dict[str, str]) -> None:
        self.folder = folder / "project"
        self._template = folder / "template"
        generate(resolved(*OLD.values()).catalog)  # imports the compiler before forking
        write_specs(self.folder, old)
        if old:
            assert toolgen(self.folder, "build") == 0
        self.old = content(self.folder)
        write_specs(self.folder, NEW)
        (self.folder / "calls.jsonl").write_text(CALL, encoding="utf-8")
        shutil.copytree(self.folder, self._template)
        read, write = os.pipe()
        assert toolgen(self.folder, "build", before=lambda: self._note_writes(write)) == 0
        os.close(write)
        with os.fdopen(read, "rb") as file:
            self.writes = len(file.read())
        self.new = content(self.folder)

    def _note_writes(self, descriptor: int) -> None:
        before_writes(self.folder, lambda _number: os.write(descriptor, b"."))

    def build_killed(self, point: int, death: Callable[[], None]) -> int:
        """Build, killed at the n-th write, and return the exit code."""
        shutil.rmtree(self.folder)
        shutil.copytree(self._template, self.folder)
        return toolgen(
            self.folder,
            "build",
            before=lambda: before_writes(self.folder, lambda number: death() if number == point else None),
        )


def check(project: Project, point: int, death: Callable[[], None]) -> bool:
    """Kill a build, run two more commands, and return whether the first of them found the new package."""
    code = project.build_killed(point, death)
    assert code == -signal.SIGKILL or (death is break_off and code in (0, -signal.SIGXFSZ))

    command = (("build", "--check"), ("replay", "calls.jsonl"))[point % 2]
    code = toolgen(project.folder, *command)
    found = content(project.folder)
    assert found in (project.old, project.new)
    is_new = found == project.new
    assert code == (0 if is_new else 1 if command[0] == "build" else 2)

    assert toolgen(project.folder, "build") == 0
    assert content(project.folder) == project.new
    return is_new


@pytest.mark.parametrize(
    "old",
    [
        "over an old package",
        pytest.param("as the first build", marks=pytest.mark.long),  # with less to lose
    ],
)
def test_a_build_killed_at_some_writes_leaves_a_complete_package(tmp_path: Path, old: str) -> None:
    assert_holds(killed_at_some_writes, str(tmp_path), old)


def killed_at_some_writes(folder: str, old: str) -> None:
    project = Project(Path(folder), OLD if old == "over an old package" else {})
    assert project.writes > 40
    points = [round(project.writes * step / 6) for step in range(6)]
    outcomes = [check(project, point, kill) for point in (*points, project.writes - 1)]
    assert outcomes == sorted(outcomes)
    assert {*outcomes} == {False, True}
    for point in points[::2]:
        check(project, point, break_off)


@pytest.mark.long
@pytest.mark.parametrize("old", [OLD, {}], ids=["over an old package", "as the first build"])
def test_a_build_killed_at_every_write_leaves_a_complete_package(tmp_path: Path, old: dict[str, str]) -> None:
    project = Project(tmp_path, old)
    outcomes = [check(project, point, kill) for point in range(project.writes)]
    assert outcomes == sorted(outcomes)
    for point in range(project.writes):
        check(project, point, break_off)
