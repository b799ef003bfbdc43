"""Publishing: which files are written, removed and refused."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from toolgen import __version__
from toolgen.compiler.publish.lock import read_lock, read_noted
from toolgen.compiler.publish.tree import LOCK, Tree

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.compiler.publish.conftest import Project

OLD = {"__init__.py": "", "shop/a.py": "a = 1\n", "shop/gone/b.py": "b = 1\n"}
NEW = {"__init__.py": "", "shop/a.py": "a = 2\n", "shop/c.py": "c = 1\n"}

links = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")


def test_a_first_build_writes_every_file_and_their_lock(project: Project) -> None:
    published = project.publish(OLD)

    assert published
    assert published.written == ("__init__.py", "shop/a.py", "shop/gone/b.py", LOCK)
    assert project.content() == OLD
    lock = read_lock(project.tree, project.sink)
    assert lock
    assert lock.files.keys() == OLD.keys()
    assert all(lock.has_written(path, text.encode()) for path, text in OLD.items())
    noted = read_noted(project.tree, (project.out / LOCK).read_bytes())
    assert noted is not None
    assert noted.inputs == project.inputs


def test_a_second_build_writes_changed_files_and_removes_obsolete_ones(project: Project) -> None:
    project.publish(OLD)
    os.utime(project.out / "__init__.py", ns=(1, 1))

    published = project.publish(NEW)

    assert published
    assert published.written == ("shop/a.py", "shop/c.py", LOCK)
    assert published.removed == ("shop/gone/b.py",)
    assert published.unchanged == ("__init__.py",)
    assert project.content() == NEW
    assert project.folders() == ["shop"]
    assert (project.out / "__init__.py").stat().st_mtime_ns == 1


def test_publishing_the_same_files_again_touches_nothing(project: Project) -> None:
    project.publish(OLD)
    for path in (*OLD, LOCK):
        os.utime(project.out / path, ns=(1, 1))

    published = project.publish(OLD)

    assert published
    assert (published.written, published.removed) == ((), ())
    assert all((project.out / path).stat().st_mtime_ns == 1 for path in (*OLD, LOCK))


def test_foreign_files_are_kept(project: Project) -> None:
    project.publish(OLD)
    project.write("shop/gone/notes.md", "mine")

    project.publish(NEW)

    assert project.content() == {**NEW, "shop/gone/notes.md": "mine"}


def test_an_edited_file_that_would_be_overwritten_is_reported_and_nothing_is_written(project: Project) -> None:
    project.publish(OLD)
    project.write("shop/a.py", "a = 'mine'\n")
    before = project.content()

    assert project.publish(NEW) is None

    assert project.messages == ["TG602 generated/shop/a.py was edited by hand"]
    assert next(iter(project.sink)).fix == "move the edit elsewhere, or run `toolgen build --force`"
    assert project.content() == before


def test_an_edited_file_that_would_be_removed_is_reported_and_nothing_is_written(project: Project) -> None:
    project.publish(OLD)
    project.write("shop/gone/b.py", "b = 'mine'\n")
    before = project.content()

    assert project.publish(NEW) is None
    assert project.messages == ["TG602 generated/shop/gone/b.py was edited by hand"]
    assert project.content() == before


def test_force_overwrites_edits(project: Project) -> None:
    project.publish(OLD)
    project.write("shop/a.py", "a = 'mine'\n")
    project.write("shop/gone/b.py", "b = 'mine'\n")

    assert project.publish(NEW, force=True)
    assert project.content() == NEW
    assert not project.messages


def test_an_edit_equal_to_the_build_output_is_accepted(project: Project) -> None:
    project.publish(OLD)
    project.write("shop/a.py", NEW["shop/a.py"])

    published = project.publish(NEW)

    assert published
    assert "shop/a.py" in published.unchanged


def test_a_deleted_file_is_written_again(project: Project) -> None:
    project.publish(OLD)
    (project.out / "shop/a.py").unlink()

    published = project.publish(OLD)

    assert published
    assert published.written == ("shop/a.py",)


def test_a_foreign_file_at_the_path_of_a_generated_one_is_reported(project: Project) -> None:
    project.write("shop/a.py", "mine")

    assert project.publish(OLD) is None
    assert project.messages == [
        "TG603 generated/shop/a.py was not written by toolgen, but a generated file must be written there"
    ]
    assert project.content() == {"shop/a.py": "mine"}


def test_a_foreign_file_equal_to_the_build_output_is_adopted(project: Project) -> None:
    project.write("shop/a.py", OLD["shop/a.py"])

    assert project.publish(OLD)
    assert project.publish({"__init__.py": ""})
    assert project.content() == {"__init__.py": ""}


def test_all_conflicts_are_reported_in_one_run(project: Project) -> None:
    project.publish(OLD)
    project.write("shop/a.py", "mine")
    project.write("shop/c.py", "mine")
    project.write("shop/gone/b.py", "mine")

    project.publish(NEW)

    assert [message.split()[0] for message in project.messages] == ["TG602", "TG603", "TG602"]


def test_a_file_may_become_a_folder_and_a_folder_a_file(project: Project) -> None:
    project.publish({"a": "1", "b/c/d": "2"})

    assert project.publish({"a/x": "1", "b": "2"})
    assert project.content() == {"a/x": "1", "b": "2"}


def test_a_file_name_may_change_case(project: Project) -> None:
    project.publish({"Shop/a.py": "1"})

    assert project.publish({"shop/a.py": "1"})
    assert project.content() == {"shop/a.py": "1"}


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/etc/passwd", "is not a plain relative path"),
        ("../x.py", "is not a plain relative path"),
        ("a/../../x.py", "is not a plain relative path"),
        ("a//b.py", "is not a plain relative path"),
        ("", "is not a plain relative path"),
        ("a\\b.py", "contains a character that is not portable in file names"),
        ("C:x.py", "contains a character that is not portable in file names"),
        ("a\0.py", "contains a character that is not portable in file names"),
        (".toolgen/x", "is where toolgen prepares files"),
        ("_derived/x", "is where toolgen keeps derived data"),
        (LOCK, "is toolgen's own lock"),
    ],
)
def test_a_path_that_leaves_the_tree_is_refused(project: Project, path: str, message: str) -> None:
    assert project.publish({"fine.py": "", path: ""}) is None
    assert project.messages == [f"TG601 the generated path {path!r} {message}"]
    assert not project.out.exists()


def test_generated_paths_that_differ_only_in_case_are_refused(project: Project) -> None:
    assert project.publish({"shop/a.py": "", "Shop/b.py": ""}) is None
    assert project.messages == ["TG605 the generated paths Shop and shop differ only in case"]


def test_a_stray_that_differs_only_in_case_is_refused(project: Project) -> None:
    project.write("shop/A.py", "mine")

    assert project.publish({"shop/a.py": ""}) is None
    (message,) = project.messages
    assert message == (
        "TG605 generated/shop/a.py cannot be changed: "
        "`shop/A.py` already exists, and differs from `shop/a.py` only in case"
    )


def test_a_generated_file_that_is_the_folder_of_another_is_refused(project: Project) -> None:
    assert project.publish({"shop": "", "shop/a.py": ""}) is None
    assert project.messages == ["TG601 the generated path shop is a file and the folder of shop/a.py"]


def test_a_folder_at_the_path_of_a_generated_file_is_refused(project: Project) -> None:
    (project.out / "shop/a.py").mkdir(parents=True)

    assert project.publish(OLD) is None
    assert project.messages == ["TG604 generated/shop/a.py cannot be changed: `shop/a.py` is a folder"]


def test_a_file_at_the_path_of_a_generated_folder_is_refused(project: Project) -> None:
    project.write("shop", "mine")

    assert project.publish({"shop/a.py": ""}) is None
    assert project.messages == ["TG604 generated/shop/a.py cannot be changed: `shop` is a file where a folder must be"]


@links
@pytest.mark.parametrize("force", [False, True])
def test_a_linked_folder_in_the_output_is_never_written_through(
    project: Project, tmp_path: Path, *, force: bool
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    project.out.mkdir()
    (project.out / "shop").symlink_to(outside)

    assert project.publish(OLD, force=force) is None
    assert project.messages[0] == (
        "TG604 generated/shop/a.py cannot be changed: `shop` is a link or a special file, or cannot be opened"
    )
    assert not list(outside.iterdir())


@links
@pytest.mark.parametrize("force", [False, True])
def test_a_linked_file_in_the_output_is_never_written_through(project: Project, tmp_path: Path, *, force: bool) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("mine")
    project.publish(OLD)
    (project.out / "shop/a.py").unlink()
    (project.out / "shop/a.py").symlink_to(outside)

    assert project.publish(NEW, force=force) is None
    assert project.publish({"__init__.py": ""}, force=force) is None
    assert outside.read_text() == "mine"
    assert (project.out / "shop/a.py").is_symlink()


@links
def test_removing_never_goes_through_a_linked_folder(project: Project, tmp_path: Path) -> None:
    project.publish(OLD)
    (project.out / "shop/gone").rename(tmp_path / "elsewhere")
    (project.out / "shop/gone").symlink_to(tmp_path / "elsewhere")

    project.publish(NEW)

    assert (tmp_path / "elsewhere/b.py").exists()


@links
@pytest.mark.parametrize("out", ["link", "link/generated"])
def test_an_output_folder_behind_a_link_is_refused(project: Project, tmp_path: Path, out: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "project").mkdir()
    (tmp_path / "project/link").symlink_to(tmp_path / "outside")
    project = replace(project, root=tmp_path / "project", name=out)

    assert project.publish(OLD) is None
    assert project.messages == [
        "TG604 link is a link or a file; toolgen reads and writes packages only in real folders"
    ]
    assert not list((tmp_path / "outside").iterdir())


@links
def test_a_linked_work_folder_is_refused(project: Project, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    project.out.mkdir()
    (project.out / ".toolgen").symlink_to(tmp_path / "outside")

    assert project.publish(OLD) is None
    assert not project.recover()
    assert {message.split()[0] for message in project.messages} == {"TG604"}
    assert not list((tmp_path / "outside").iterdir())


@pytest.mark.parametrize("looks", [1, 2, 3])
def test_a_work_folder_that_another_command_removes_meanwhile_is_no_link(
    project: Project, monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    work, lstat, seen = project.out / ".toolgen", os.lstat, list[str]()
    work.mkdir(parents=True)

    def look(path: str) -> os.stat_result:
        found = lstat(path)
        if path == str(work):
            seen.append(path)
            if len(seen) == looks:
                work.rmdir()
        return found

    monkeypatch.setattr(os, "lstat", look)
    assert project.tree.is_real(project.sink), project.messages


def test_a_folder_that_is_removed_while_the_tree_is_listed_is_none_of_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.out / "shop").mkdir(parents=True)
    scandir = os.scandir

    def list_late(path: str) -> object:
        if path == project.tree.at("shop"):  # there again when it is looked at next
            raise FileNotFoundError(2, "No such file or directory", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", list_late)
    assert project.tree.scan() == {}


def test_a_file_that_is_removed_while_it_is_read_has_no_digest(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("a.py", "a = 1\n")
    read = Tree.read

    def read_late(tree: Tree, path: str) -> bytes:
        (project.out / path).unlink()
        return read(tree, path)

    monkeypatch.setattr(Tree, "read", read_late)
    assert project.tree.digest("a.py") is None


def test_a_broken_lock_stops_a_build_and_force_repairs_it(project: Project) -> None:
    project.publish(OLD)
    (project.out / LOCK).write_text("no lock\n")

    assert project.publish(NEW) is None
    assert project.messages == ["TG606 generated/toolgen.lock is not a lock: line 1 has no digest for 'no'"]
    assert project.content() == OLD

    assert project.publish(NEW, force=True)
    assert project.content() == {**NEW, "shop/gone/b.py": OLD["shop/gone/b.py"]}


def test_bytecode_is_removed_with_its_module(project: Project) -> None:
    project.publish(OLD)
    for path in ("shop/__pycache__/a.cpython-311.pyc", "shop/gone/__pycache__/b.cpython-311.opt-1.pyc"):
        project.write(path, "")
    project.write("shop/__pycache__/other.cpython-311.pyc", "")

    project.publish(NEW)

    assert project.content() == {**NEW, "shop/__pycache__/other.cpython-311.pyc": ""}
    assert project.folders() == ["shop", "shop/__pycache__"]


def test_a_name_refused_by_the_system_leaves_the_old_package(project: Project) -> None:
    project.publish(OLD)

    assert project.publish({**NEW, "x" * 300: ""}) is None

    assert project.messages[0].startswith("TG608 generated could not be written: File name too long")
    assert project.messages[0].endswith("; nothing was changed")
    assert str(project.root) not in project.messages[0]
    assert project.content() == OLD


def test_the_package_of_a_newer_toolgen_is_only_replaced_by_force(project: Project) -> None:
    project.publish(OLD)
    lock = (project.out / LOCK).read_text()
    two = f"generator {__version__}\ngenerator 9.0.0"
    for newer, says in (
        (lock.replace("lock 2", "lock 3"), "TG606 generated/toolgen.lock is not in format 2"),
        (lock.replace(f"generator {__version__}", "generator 9.0.0"), "TG610 generated was built by toolgen 9.0.0,"),
        (lock.replace(f"generator {__version__}", two), "TG610 generated was built by toolgen 9.0.0, and"),
    ):
        project.write(LOCK, newer)
        project.sink.keep(0)
        assert project.publish(NEW) is None
        [found] = project.sink
        assert f"{found.code} {found.message}".startswith(says)
        assert found.fix.startswith("upgrade toolgen, or run `toolgen build --force`")
        assert project.content() == OLD
    project.sink.keep(0)
    assert project.publish(NEW, force=True) is not None
    assert project.content() == NEW


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_a_diagnostic(project: Project) -> None:
    project.publish(OLD)
    (project.out / "shop").chmod(0o555)
    try:
        assert project.publish(NEW) is None
    finally:
        (project.out / "shop").chmod(0o755)

    assert project.messages[0].startswith("TG608 generated could not be written: Permission denied")
    assert project.content() == OLD
