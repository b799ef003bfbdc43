"""Writing a site: all or nothing, and nothing of others is removed."""

from __future__ import annotations

import json
import os
import stat
from itertools import count
from typing import TYPE_CHECKING

import pytest

from tests.together import READY, together
from toolgen.authoring.site import write
from toolgen.authoring.site.write import MANIFEST, SiteError, site_folder, write_site
from toolgen.spec.locks import held

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FIRST = [("index.html", "one"), ("tools/a.html", "a")]


def files_in(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_site_is_written_and_replaced_as_a_whole(tmp_path: Path) -> None:
    site = tmp_path / "a" / "site"
    assert write_site(site, FIRST) == (2, 4)
    assert json.loads((site / MANIFEST).read_text(encoding="utf-8"))["files"] == ["index.html", "tools/a.html"]
    write_site(site, [("index.html", "two")])
    assert files_in(site).keys() == {"index.html", MANIFEST}
    assert [each.name for each in (tmp_path / "a").iterdir()] == ["site"]
    assert stat.S_IMODE(site.stat().st_mode) == stat.S_IMODE(tmp_path.joinpath("a").stat().st_mode)


def test_an_error_while_pages_are_made_leaves_the_old_site(tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site(site, FIRST)
    before = files_in(site)

    def failing() -> Iterator[tuple[str, str]]:
        yield "index.html", "two"
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_site(site, failing())
    assert files_in(site) == before
    assert [each.name for each in tmp_path.iterdir()] == ["site"]


def test_an_error_while_the_folder_is_replaced_leaves_the_old_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    write_site(site, FIRST)
    before, rename, calls = files_in(site), os.rename, list[object]()

    def second_fails(source: Path, target: Path) -> None:
        calls.append(source)
        if len(calls) == 2:
            raise PermissionError(13, "Permission denied")
        rename(source, target)

    monkeypatch.setattr(os, "rename", second_fails)
    with pytest.raises(PermissionError):
        write_site(site, [("index.html", "two")])
    assert len(calls) == 3
    assert files_in(site) == before
    assert [each.name for each in tmp_path.iterdir()] == ["site"]


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(
        SiteError, match=r"has files that are not of a site: notes.txt\. Move them, or name another folder"
    ):
        write_site(tmp_path, FIRST)
    assert files_in(tmp_path) == {"notes.txt": "mine"}


def test_a_file_that_was_added_to_a_site_is_not_removed(tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site(site, FIRST)
    (site / "CNAME").write_text("tools.example")
    (site / "tools" / "link").symlink_to(tmp_path)
    with pytest.raises(SiteError, match="CNAME, tools/link"):
        write_site(site, FIRST)
    assert (site / "CNAME").exists()


def test_a_file_that_is_added_while_pages_are_made_is_not_removed(tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site(site, FIRST)
    before = files_in(site)

    def pages() -> Iterator[tuple[str, str]]:
        yield "index.html", "two"
        (site / "notes.md").write_text("mine")

    with pytest.raises(SiteError, match=r"has files that are not of a site: notes\.md\. Move them"):
        write_site(site, pages())
    assert files_in(site) == before | {"notes.md": "mine"}
    assert [each.name for each in tmp_path.iterdir()] == ["site"]


def before_rename(number: int, act: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let something happen right before a folder is renamed: the old site, then the new one."""
    rename, calls = os.rename, count(1)

    def patched(source: Path, target: Path) -> None:
        if next(calls) == number:
            act()
        rename(source, target)

    monkeypatch.setattr(os, "rename", patched)


def test_a_file_that_is_added_while_the_folder_is_replaced_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    write_site(site, FIRST)
    before = files_in(site)
    before_rename(1, lambda: (site / "tools" / "notes.md").write_text("mine"), monkeypatch)
    with pytest.raises(SiteError, match=r"site has files that are not of a site: tools/notes\.md"):
        write_site(site, [("index.html", "two")])
    assert files_in(site) == before | {"tools/notes.md": "mine"}
    assert [each.name for each in tmp_path.iterdir()] == ["site"]


def test_a_file_that_is_added_by_an_open_folder_is_carried_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    write_site(site, FIRST)

    def add() -> None:
        (old,) = tmp_path.glob(".site-old-*")
        (old / "site" / "tools" / "notes.md").write_text("mine")
        (old / "site" / "tools" / "link").symlink_to(tmp_path)

    before_rename(2, add, monkeypatch)
    write_site(site, [("index.html", "two")])
    assert files_in(site).keys() == {"index.html", "tools/notes.md", MANIFEST}
    assert (site / "tools" / "link").is_symlink()
    assert [each.name for each in tmp_path.iterdir()] == ["site"]


def test_a_folder_that_is_created_while_the_site_is_replaced_stays_and_so_does_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    write_site(site, FIRST)
    before = files_in(site)

    def create() -> None:
        site.mkdir()
        (site / "notes.md").write_text("mine")

    before_rename(2, create, monkeypatch)
    with pytest.raises(SiteError, match=r"site was created anew meanwhile: the site that was there is in \.site-old-"):
        write_site(site, [("index.html", "two")])
    assert files_in(site) == {"notes.md": "mine"}
    (old,) = tmp_path.glob(".site-old-*")
    assert files_in(old / "site") == before


WRITER = f"""
import sys
from pathlib import Path
from toolgen.authoring.site.write import write_site
{READY}
for number in range(10):
    write_site(Path(sys.argv[1]), [(f"{{sys.argv[2]}}/{{number}}.html", sys.argv[2]), ("index.html", "one")])
"""


def test_of_several_writers_the_last_one_wins(tmp_path: Path) -> None:
    site = tmp_path / "site"
    assert together(WRITER, *([str(site), name] for name in "abc")) == [(0, "")] * 3
    assert set(files_in(site)) in [{"index.html", f"{name}/9.html", MANIFEST} for name in "abc"]
    assert [each.name for each in tmp_path.iterdir()] == ["site"]


def test_a_writer_waits_for_another_for_a_bounded_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    write_site(site, FIRST)
    monkeypatch.setattr(write, "_PATIENCE", 0.1)
    with held(tmp_path / ".site.lock", 1), pytest.raises(SiteError, match="has been written by another command"):
        write_site(site, FIRST)
    write_site(site, FIRST)


def test_an_empty_folder_is_used_and_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    write_site(tmp_path / "empty", FIRST)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(SiteError, match="file is a file: name a folder"):
        site_folder(tmp_path / "file")


@pytest.mark.parametrize("text", ["", "[]", '{"files": 3}', "\udcff"])
def test_a_damaged_list_of_files_is_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(SiteError, match=r"cannot be read\. Delete the folder if it is a site"):
        site_folder(tmp_path)


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    write_site(tmp_path / "link", FIRST)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "index.html").exists()


def test_a_folder_is_refused_at_its_first_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(folder: Path) -> Iterator[Path]:
        for number in count():
            assert number < 100, "the whole folder is read"
            yield folder / str(number)

    monkeypatch.setattr(write, "_files_below", endless)
    with pytest.raises(SiteError, match="has files that are not of a site: 0, 1, 2 and more"):
        site_folder(tmp_path)
