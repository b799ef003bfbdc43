"""Entries that cannot be read: all others stay available, and the host is warned."""

from __future__ import annotations

import errno
import logging
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.toolsets.code.world import World
from toolgen.contract.records import FailureKind
from toolgen.execute.paths import Folder
from toolgen.runtime.base.errors import CallFailed
from toolgen.toolsets.internal import Skills
from toolgen.toolsets.internal.memory import Memories

if TYPE_CHECKING:
    from pathlib import Path

UNREADABLE = {"locked", "locked.md", "damaged"}


@pytest.fixture(autouse=True)
def unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system refuse entries by their names: also to root, and not only for want of permission."""

    def refusing(method: str) -> Any:
        allowed = getattr(Folder, method)

        def attempt(folder: Folder, name: str, **options: Any) -> Any:
            if name in UNREADABLE:
                raise OSError(errno.EIO if name == "damaged" else errno.EACCES, "no")
            return allowed(folder, name, **options)

        return attempt

    for method in ("open_file", "open_folder"):
        monkeypatch.setattr(Folder, method, refusing(method))


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("coffee")


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


def test_other_memories_are_recalled(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    put(tmp_path, "a.md", "damaged/b.md", "locked.md", "locked/c.md", "people/locked.md", "z/d.md")
    assert [memory.name for memory in Memories(tmp_path).recall("coffee", 9)] == ["a.md", "z/d.md"]
    assert warnings(caplog) == [
        "'damaged' cannot be read (Input/output error), and is skipped",
        "'locked' cannot be read (Permission denied), and is skipped",
        "'locked.md' cannot be read (Permission denied), and is skipped",
        "'people/locked.md' cannot be read (Permission denied), and is skipped",
    ]


def test_other_skills_are_offered(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    put(tmp_path, "locked/SKILL.md", "review/SKILL.md", "notes.md")
    assert Skills(tmp_path).names() == ["review"]
    assert Skills(tmp_path).load("review").instructions == "coffee"
    assert set(warnings(caplog)) == {"'locked' cannot be read (Permission denied), and is skipped"}


def test_a_skill_whose_file_cannot_be_read_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "review/SKILL.md")
    monkeypatch.setattr("tests.unit.toolsets.test_unreadable.UNREADABLE", {"SKILL.md"})
    with pytest.raises(CallFailed) as caught:
        Skills(tmp_path).load("review")
    assert (caught.value.kind, caught.value.code) == (FailureKind.UNAVAILABLE, "skill_unreadable")


def test_other_folders_are_listed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    world = World(tmp_path)
    put(world.project, "a/b.md", "locked/c.md", "z/d.md")
    entries = world.call("list_dir", recursive=True).entries
    assert [entry.path for entry in entries] == ["a", "a/b.md", "locked", "z", "z/d.md"]
    assert warnings(caplog) == ["'locked' cannot be read (Permission denied), and is skipped"]


def test_a_listed_folder_that_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_folder: Folder) -> None:
        raise PermissionError(errno.EACCES, "no")

    monkeypatch.setattr(Folder, "entries", refuse)
    assert World(tmp_path).code("list_dir") == "access_denied"
