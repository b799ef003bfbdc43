"""Writing a site: all or nothing, and nothing of others is removed."""

from __future__ import annotations

import json
import os
import stat
from itertools import count
from typing import TYPE_CHECKING

import pytest

from toolgen.authoring.site import write
from toolgen.authoring.site.write import MANIFEST, SiteError, site_folder, write_site

if TYPE_CHECKING:
    from collections.abc import Iterator
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
