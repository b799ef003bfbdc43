"""Crashes and disk failures at every point of publishing and recovery: the package is complete, old or new."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.programs.small_process import assert_holds
from tests.unit.compiler.publish.conftest import Project
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.publish.apply import Disk
from toolgen.compiler.publish.lock import read_lock
from toolgen.compiler.publish.publish import Package, publish
from toolgen.compiler.publish.transaction import exclusive

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are killed in forks of this one"),
    pytest.mark.slow,
]

OLD = {"__init__.py": "", "a.py": "a = 1\n", "gone/b.py": "b = 1\n", "gone/deep/c.py": "c = 1\n", "x": "file"}
NEW = {"__init__.py": "", "a.py": "a = 22\n", "new/b.py": "b = 2\n", "x/y.py": "folder"}


class UnflushedDisk(Disk):
    """The real disk without flushing: a killed process loses no data."""

    def flush(self, paths: Sequence[str]) -> None:
        pass


class FragileDisk(UnflushedDisk):
    """A disk that calls `fail` at one point: before, after, or in the middle of an operation."""

    def __init__(self, point: int, fail: Callable[[], None], *, fails_late: bool = True) -> None:
        self.left = point
        self.fail = fail
        self.fails_late = fails_late

    def _before(self) -> None:
        self.left -= 1
        if self.left < 0:
            self.fail()

    def _after(self) -> None:
        if self.fails_late:
            self._before()

    def make_folder(self, path: str) -> None:
        self._before()
        super().make_folder(path)
        self._after()

    def write(self, path: str, content: bytes) -> None:
        self._before()
        with Path(path).open("xb", buffering=0) as file:
            file.write(content[: len(content) // 2])
            self._before()
            file.write(content[len(content) // 2 :])
        self._after()

    def keep(self, path: str, copy: str) -> None:
        self._before()
        super().keep(path, copy)
        self._after()

    def flush(self, paths: Sequence[str]) -> None:
        self._before()
        super().flush(paths)

    def rename(self, source: str, destination: str) -> None:
        self._before()
        super().rename(source, destination)
        self._after()

    def remove(self, path: str) -> None:
        self._before()
        super().remove(path)
        self._after()

    def remove_folder(self, path: str) -> None:
        self._before()
        super().remove_folder(path)
        self._after()


class VolatileDisk(FragileDisk):
    """A disk in a power failure: files lose data that was not flushed, even if they were moved since."""

    def __init__(self, point: int) -> None:
        super().__init__(point, self._cut)
        self.volatile: set[str] = set()

    def _cut(self) -> None:
        for path in self.volatile:
            Path(path).write_bytes(b"")
        kill()

    def write(self, path: str, content: bytes) -> None:
        super().write(path, content)
        self.volatile.add(path)

    def flush(self, paths: Sequence[str]) -> None:
        super().flush(paths)
        self.volatile.difference_update(paths)

    def rename(self, source: str, destination: str) -> None:
        super().rename(source, destination)
        if source in self.volatile:
            self.volatile ^= {source, destination}

    def remove(self, path: str) -> None:
        super().remove(path)
        self.volatile.discard(path)


class LinklessDisk(VolatileDisk):
    """A disk in a power failure, with a file system without hard links."""

    def keep(self, path: str, copy: str) -> None:
        self.write(copy, Path(path).read_bytes())


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def survives(action: Callable[[], object]) -> bool:
    """Run `action` in a separate process and return whether it completed and was not killed."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            action()
            code = 0
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL)
    return code == 0


@contextmanager
def restored(project: Project, template: Path) -> Generator[Project]:
    """Restore and return the project from `template`."""
    shutil.rmtree(project.out, ignore_errors=True)
    if template.exists():
        shutil.copytree(template, project.out)
    yield replace(project, disk=UnflushedDisk(), sink=Diagnostics())


def is_whole(project: Project, *packages: dict[str, str]) -> bool:
    """Return whether the package is one of these, with nothing else beside it and a matching lock."""
    content = project.content()
    lock = read_lock(project.tree, project.sink)
    if lock is None or lock.files.keys() != content.keys():
        return content in packages and not (lock or content)
    return content in packages and all(lock.has_written(path, text.encode()) for path, text in content.items())


DISKS: dict[str, Callable[[int], Disk]] = {
    "killed": partial(FragileDisk, fail=kill),
    "power cut": VolatileDisk,
    "without hard links": LinklessDisk,
}


@pytest.mark.parametrize(
    "disk",
    [
        pytest.param("killed", marks=pytest.mark.long),  # a power cut loses more
        "power cut",
        pytest.param("without hard links", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("old", ["over an old package", "as the first build"])
def test_a_killed_build_is_completed_or_undone_by_the_next_command(tmp_path: Path, old: str, disk: str) -> None:
    assert_holds(killed_builds, str(tmp_path), old, disk)


def killed_builds(root: str, over: str, disk: str) -> None:
    project, template = Project(Path(root)), Path(root) / "template"
    old = OLD if over == "over an old package" else {}
    if old:
        project.publish(old)
        project.out.rename(template)
    outcomes: list[bool] = []
    for point in count():
        with restored(project, template) as project:
            alive = survives(partial(project.publish, NEW, disk=DISKS[disk](point)))
            assert project.recover()
            assert is_whole(project, old, NEW)
            outcomes.append(is_whole(project, NEW))
            assert project.recover()
            assert project.publish(NEW)
            assert is_whole(project, NEW)
            assert not project.messages
        if alive:
            break
    assert outcomes == sorted(outcomes)
    assert {*outcomes} == {False, True}
    assert len(outcomes) > 40


def test_a_killed_recovery_is_completed_by_the_next_command(tmp_path: Path) -> None:
    assert_holds(killed_recoveries, str(tmp_path))


def killed_recoveries(root: str) -> None:
    project, template, crashed = Project(Path(root)), Path(root) / "template", Path(root) / "crashed"
    old, new = {"a.py": "a = 1\n", "gone/b.py": ""}, {"a.py": "a = 2\n", "new/b.py": ""}
    project.publish(old)
    project.out.rename(template)
    seen: list[dict[str, str]] = []
    for point in count():
        with restored(project, template) as project:
            if survives(partial(project.publish, new, disk=FragileDisk(point, kill))):
                break
            state = project.content()
            if state in seen or ".toolgen/forward.json" not in state:
                continue
            seen.append(state)
            shutil.rmtree(crashed, ignore_errors=True)
            shutil.copytree(project.out, crashed)
        for second in count():
            with restored(project, crashed) as project:
                alive = survives(partial(project.recover, disk=FragileDisk(second, kill)))
                assert project.recover()
                assert is_whole(project, new)
            if alive:
                break
    assert len(seen) > 4


def test_a_killed_rollback_is_completed_by_the_next_command(tmp_path: Path) -> None:
    assert_holds(killed_rollbacks, str(tmp_path))


def killed_rollbacks(root: str) -> None:
    project, template = Project(Path(root)), Path(root) / "template"
    project.publish(OLD)
    project.out.rename(template)

    class FailingThenFragileDisk(FragileDisk):
        """A disk that cannot put `x/y.py` in place, and after that is killed at one point."""

        left_alone = True

        def _before(self) -> None:
            if not self.left_alone:
                super()._before()

        def rename(self, source: str, destination: str) -> None:
            if destination.endswith("y.py"):
                self.left_alone = False
                raise OSError(errno.EIO, "Input/output error")
            super().rename(source, destination)

    points = 0
    for point in count():
        points += 1
        with restored(project, template) as project:
            alive = survives(partial(project.publish, NEW, disk=FailingThenFragileDisk(point, kill)))
            assert project.recover()
            assert is_whole(project, OLD) or (point == 0 and is_whole(project, NEW))
        if alive:
            break
    assert points > 20


@pytest.mark.parametrize("times", [1, 2, 10**9], ids=["once", "twice", "from then on"])
@pytest.mark.variants(1)
def test_a_disk_failure_leaves_a_complete_package(project: Project, tmp_path: Path, times: int) -> None:
    template = tmp_path / "template"
    project.publish(OLD)
    project.out.rename(template)
    outcomes: set[str] = set()
    for point in count():
        failures = 0

        def fail() -> None:
            nonlocal failures
            failures += 1
            if failures <= times:
                raise OSError(errno.ENOSPC, "No space left on device")

        with restored(project, template) as project:
            published = project.publish(NEW, disk=FragileDisk(point, fail, fails_late=False))
            after = {path: text for path, text in project.content().items() if not path.startswith(".toolgen/")}
            if published:
                assert after == NEW
            else:
                (message,) = project.messages
                problem, _, state = message.partition("; ")
                assert problem.startswith("TG608 generated could not be written: No space left on device")
                assert after == OLD or state == "the next command completes or undoes the changes"
                outcomes.add(state)
            assert project.recover()
            assert is_whole(project, NEW) or (not published and is_whole(project, OLD))
        if not failures:
            break
    assert "nothing was changed" in outcomes


def test_a_partially_written_file_is_discarded(project: Project) -> None:
    project.publish(OLD)
    project.write(".toolgen/new/0", "a = ")
    project.write(".toolgen/draft.json", '{"journal": 1, "st')

    assert project.recover()
    assert is_whole(project, OLD)


def test_a_damaged_file_of_a_journaled_build_is_a_diagnostic(project: Project) -> None:
    interrupt(project)
    project.write(".toolgen/new/3", "half")
    before = project.content()

    assert not project.recover(force=True)
    assert project.messages == [
        "TG609 the build of generated that was interrupted prepared a.py, but the prepared file is damaged"
    ]
    assert project.content() | {".toolgen/lock": ""} == before


@pytest.mark.parametrize(
    ("journal", "message"),
    [
        ("", "left a damaged journal"),
        ("[]", "left a damaged journal"),
        ('{"journal": 1}', "left a damaged journal"),
        ('{"journal": 7}', "used a toolgen with a journal in format 7"),
        (
            '{"journal": 1, "steps": [{"path": "../x", "before": null, "after": null}]}',
            "left a journal with the path '../x', which is not a plain relative path",
        ),
    ],
)
def test_a_foreign_journal_is_a_diagnostic(project: Project, journal: str, message: str) -> None:
    project.publish(OLD)
    project.write(".toolgen/forward.json", journal)

    assert not project.recover()
    assert project.publish(NEW) is None
    assert project.messages == [f"TG609 the build of generated that was interrupted {message}"]


def test_a_journal_cannot_write_through_a_link(project: Project, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/b.py").write_text("mine")
    interrupt(project)
    shutil.rmtree(project.out / "gone")
    (project.out / "gone").symlink_to(tmp_path / "outside")

    assert not project.recover(force=True)
    assert {message.split()[0] for message in project.messages} == {"TG604"}
    assert (tmp_path / "outside/b.py").exists()


def test_an_edit_after_a_crash_is_reported_and_kept(project: Project) -> None:
    interrupt(project)
    project.write("a.py", "a = 'mine'\n")
    before = project.content()

    assert not project.recover()
    assert project.messages == ["TG602 generated/a.py was edited by hand while a build was interrupted"]
    assert project.content() | {".toolgen/lock": ""} == before

    assert project.recover(force=True)
    assert is_whole(project, NEW)


def test_a_full_disk_is_a_diagnostic(project: Project) -> None:
    project.publish(OLD)

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        assert project.publish({**NEW, "large.py": "x" * 10_000}) is None
        (message,) = project.messages
        assert message.startswith("TG608 generated could not be written: File too large")
        assert message.endswith("; nothing was changed")

    assert survives(fill)
    assert is_whole(project, OLD)


def test_concurrent_builds_take_turns(project: Project) -> None:
    packages = [{"__init__.py": "", **{f"{name}{number}.py": name for number in range(5)}} for name in "abc"]

    def build(files: dict[str, str]) -> None:
        for _ in range(10):
            assert project.publish(files), project.messages

    children: list[int] = []
    for files in packages:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                build(files)
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    assert is_whole(project, *packages)


def test_a_folder_that_stays_busy_is_a_diagnostic(project: Project) -> None:
    waited: list[str] = []
    with exclusive(project.tree, Disk(), patience=0, waiting=waited.append):
        published = publish(
            project.tree, Package({}, project.inputs, {}), sink=project.sink, patience=0.1, waiting=waited.append
        )

    assert published is None
    assert waited == ["waiting for another toolgen command that writes generated"]
    assert project.messages == ["TG607 another toolgen command has been writing generated for 0.1 seconds"]


def interrupt(project: Project) -> None:
    """Publish `NEW` over `OLD`, killed right after the first file was removed."""
    project.publish(OLD)

    class Removing(Disk):
        def remove(self, path: str) -> None:
            super().remove(path)
            if path.endswith("b.py"):
                kill()

    assert not survives(lambda: project.publish(NEW, disk=Removing()))
    assert project.content().keys() > {"a.py", ".toolgen/forward.json"}
