"""Open folders: files are created and replaced atomically, and links are not followed."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from tests.open_files import open_files
from toolgen.execute.paths import Changed, Folder, NotAFile, open_folder
from toolgen.runtime.policy.paths import FileKind

if TYPE_CHECKING:
    from pathlib import Path


def test_missing_parent_folders_are_created(tmp_path: Path) -> None:
    with open_folder(f"{tmp_path}/a/b", create=True) as folder:
        folder.create_file("new", b"x")
        assert folder.path == f"{tmp_path}/a/b"
    assert (tmp_path / "a/b/new").read_bytes() == b"x"
    with pytest.raises(FileNotFoundError):
        open_folder(f"{tmp_path}/c/d")


def test_no_link_in_the_path_is_followed_or_replaced_by_a_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "dangling").symlink_to("missing")
    for name in ("link", "link/new", "dangling", "dangling/new"):
        with pytest.raises(NotADirectoryError):
            open_folder(f"{tmp_path}/{name}", create=True)
    assert not list((tmp_path / "real").iterdir())
    assert not (tmp_path / "missing").exists()


def test_a_file_is_created_only_if_its_name_is_free(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("old")
    (tmp_path / "dangling").symlink_to("missing")
    with open_folder(str(tmp_path)) as folder:
        for name in ("there", "dangling"):
            with pytest.raises(FileExistsError):
                folder.create_file(name, b"new")
    assert (tmp_path / "there").read_text() == "old"
    assert not (tmp_path / "missing").exists()


def test_a_replaced_file_keeps_its_permissions_and_its_other_names_keep_the_old_content(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "file").chmod(0o751)
    (tmp_path / "other").hardlink_to(tmp_path / "file")
    with open_folder(str(tmp_path)) as folder:
        folder.replace_file("file", b"new")
    assert ((tmp_path / "file").read_text(), (tmp_path / "other").read_text()) == ("new", "old")
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o751
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "other"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_replaced_file_keeps_its_owner(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    os.chown(tmp_path / "file", 12345, 54321)
    with open_folder(str(tmp_path)) as folder:
        folder.replace_file("file", b"new")
    status = (tmp_path / "file").stat()
    assert (status.st_uid, status.st_gid) == (12345, 54321)


def test_a_file_changed_since_it_was_read_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    before = (tmp_path / "file").stat()
    (tmp_path / "file").write_text("of somebody else")
    with open_folder(str(tmp_path)) as folder, pytest.raises(Changed):
        folder.replace_file("file", b"new", previous=before)
    assert (tmp_path / "file").read_text() == "of somebody else"


@pytest.mark.parametrize("size", [0, 100_000])
def test_a_file_that_changes_while_the_new_one_is_written_is_not_replaced(tmp_path: Path, size: int) -> None:
    (tmp_path / "file").write_text("old")
    before = (tmp_path / "file").stat()

    def name() -> str:
        (tmp_path / "file").write_text("of somebody else")
        return "temporary"

    with open_folder(str(tmp_path)) as opened:
        folder = Folder(os.dup(opened._descriptor), str(tmp_path), name)
    with folder, pytest.raises(Changed):
        folder.replace_file("file", b"x" * size, previous=before)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "of somebody else")]


def test_a_file_that_this_user_may_not_write_is_not_replaced(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    (tmp_path / "file").write_text("old")
    is_root = os.geteuid() == 0
    for mode, user in ((0o444, 0), (0o444, 65534), (0o640, 65534)) if is_root else [(0o444, 0)]:
        (tmp_path / "file").chmod(mode)
        with open_folder(str(tmp_path)) as folder:
            if is_root:
                os.seteuid(user)
            try:
                with pytest.raises(PermissionError):
                    folder.replace_file("file", b"new")
            finally:
                if is_root:
                    os.seteuid(0)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "old")]


def test_an_interrupted_replacement_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with open_folder(str(tmp_path)) as folder:
        with pytest.raises(OSError, match="No space left"):
            folder.replace_file("file", b"new")
        with pytest.raises(OSError, match="No space left"):
            folder.create_file("made", b"new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "old")]


def test_only_regular_files_are_read_or_replaced_without_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")
    with open_folder(str(tmp_path)) as folder:
        for name in ("pipe", "folder", "link"):
            with pytest.raises(NotAFile):
                folder.open_file(name)
            with pytest.raises(NotAFile):
                folder.replace_file(name, b"x")


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/etc"])
def test_names_with_several_components_are_refused(tmp_path: Path, name: str) -> None:
    with open_folder(str(tmp_path)) as folder:
        for method in (folder.open_file, folder.open_folder, lambda name: folder.create_file(name, b"")):
            with pytest.raises(ValueError, match="is not a single name"):
                method(name)


def test_entries_are_sorted_and_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a").write_text("")
    (tmp_path / "c").symlink_to("b")
    os.mkfifo(tmp_path / "d")
    with open_folder(str(tmp_path)) as folder:
        entries = [(entry.name, entry.kind, entry.is_link) for entry in folder.entries()]
    assert entries == [
        ("a", FileKind.FILE, False),
        ("b", FileKind.FOLDER, False),
        ("c", FileKind.OTHER, True),
        ("d", FileKind.OTHER, False),
    ]


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/file").write_text("x")
    before = open_files()
    with open_folder(f"{tmp_path}/a") as folder:
        with folder.open_below(["b"]), folder.open_file("file"):
            folder.entries()
        with pytest.raises(FileNotFoundError):
            folder.open_below(["b", "missing"])
        with pytest.raises(NotAFile):
            folder.open_file("b")
    assert open_files() <= before


def test_a_folder_without_read_permission_can_be_traversed(tmp_path: Path) -> None:
    (tmp_path / "closed/open").mkdir(parents=True)
    (tmp_path / "closed").chmod(0o311)
    try:
        with open_folder(f"{tmp_path}/closed/open") as folder:
            assert folder.entries() == []
    finally:
        (tmp_path / "closed").chmod(0o755)
