"""Batches of changes: every edit is in one, and editors that write several files give one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.unit.authoring.diff.repository import git
from toolgen.authoring.dev.commits import commits
from toolgen.authoring.inputs import BASELINE
from toolgen.authoring.lint.baseline import write_baseline
from toolgen.authoring.watch import Watcher, changes, versions
from toolgen.compiler.project.config import Config, ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "a.yaml").write_text("one")
    return tmp_path / "specs"


class Clock:
    """Time that passes by sleeping alone; something happens during each sleep."""

    def __init__(self, *events: Callable[[], object]) -> None:
        self.time = 0.0
        self._events = list(events)

    def sleep(self, seconds: float) -> None:
        self.time += seconds
        if self._events:
            self._events.pop(0)()

    def now(self) -> float:
        return self.time


def batch(specs: Path, *events: Callable[[], object]) -> list[str]:
    clock = Clock(*events)
    found = next(Watcher([specs], sleep=clock.sleep, now=clock.now).batches())
    return sorted(Path(path).name for path in found)


def test_edits_additions_and_removals_are_changes(specs: Path) -> None:
    (specs / "gone.yaml").write_text("")
    watching = changes([specs])
    (specs / "a.yaml").write_text("two")
    (specs / "sub").mkdir()
    (specs / "sub" / "b.json").write_text("{}")
    (specs / "gone.yaml").unlink()
    (specs / "notes.txt").write_text("not a spec")

    assert {os.path.relpath(path, specs) for path in next(watching)} == {"a.yaml", "sub/b.json", "gone.yaml"}


def test_files_that_change_soon_after_each_other_are_one_batch(specs: Path) -> None:
    events = [lambda name=name: (specs / name).write_text("") for name in ("b.yaml", "c.yaml", "d.yaml")]

    assert batch(specs, *events) == ["b.yaml", "c.yaml", "d.yaml"]


def test_a_file_that_changes_all_the_time_does_not_hold_a_batch_up(specs: Path) -> None:
    def write(number: int) -> Callable[[], object]:
        return lambda: (specs / "a.yaml").write_text("x" * number)

    assert batch(specs, *(write(number) for number in range(5, 1000))) == ["a.yaml"]


def test_changes_during_the_use_of_a_batch_are_in_the_next(specs: Path) -> None:
    watching = changes([specs])
    (specs / "b.yaml").write_text("")
    next(watching)
    (specs / "c.yaml").write_text("")

    assert [Path(path).name for path in next(watching)] == ["c.yaml"]


def test_an_edit_with_the_time_and_size_of_before_is_a_change(specs: Path) -> None:
    state = (specs / "a.yaml").stat()
    watching = changes([specs])
    (specs / "a.yaml").write_text("two")
    os.utime(specs / "a.yaml", ns=(state.st_atime_ns, state.st_mtime_ns))

    assert [Path(path).name for path in next(watching)] == ["a.yaml"]


def test_a_link_to_nothing_is_a_change_when_it_appears_and_when_it_goes(specs: Path) -> None:
    watching = changes([specs])
    (specs / "link.yaml").symlink_to("nowhere.yaml")
    assert [Path(path).name for path in next(watching)] == ["nowhere.yaml"]
    (specs / "link.yaml").unlink()
    assert [Path(path).name for path in next(watching)] == ["nowhere.yaml"]


def test_the_baseline_of_lint_and_evaluations_are_watched(specs: Path) -> None:
    root = specs.parent
    found = versions(root)
    next(found)
    (root / BASELINE).write_text(write_baseline([]))
    assert next(found).changed == (BASELINE,)
    (root / "evals").mkdir()
    (root / "evals" / "a.eval.yaml").write_text("")
    assert next(found).changed == ("evals/a.eval.yaml",)
    (root / BASELINE).unlink()
    assert next(found).changed == (BASELINE,)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_repository_that_is_made_meanwhile_has_the_commit_to_compare_with(specs: Path) -> None:
    found = commits(specs.parent, "HEAD")
    assert next(found) is None
    git(specs.parent, "init", "--quiet")
    git(specs.parent, "add", "specs")
    git(specs.parent, "commit", "--quiet", "--message", "first")
    first = next(found)
    assert first is not None
    git(specs.parent, "commit", "--quiet", "--message", "second", "--allow-empty")
    assert next(found) not in (None, first)


def test_a_version_has_the_configuration_of_its_time(specs: Path) -> None:
    root = specs.parent
    found = versions(root)
    first = next(found)
    assert isinstance(first.config, Config)
    assert (first.changed, first.config.targets[0].specs) == ((), "specs")
    (root / "other").mkdir()
    (root / "toolgen.toml").write_text('[[targets]]\nspecs = "other"\n')
    moved = next(found)
    assert isinstance(moved.config, Config)
    assert (moved.changed, moved.config.targets[0].specs) == (("toolgen.toml",), "other")
    (root / "other" / "b.yaml").write_text("")
    assert next(found).changed == ("other/b.yaml",)


def test_a_configuration_with_errors_is_a_version_until_it_is_corrected(specs: Path) -> None:
    root = specs.parent
    found = versions(root)
    next(found)
    (root / "toolgen.toml").write_text("targets = 1\n")
    assert isinstance(next(found).config, ConfigError)
    (specs / "a.yaml").write_text("two")
    assert next(found).changed == ("specs/a.yaml",)
    (root / "toolgen.toml").unlink()
    assert isinstance(next(found).config, Config)
