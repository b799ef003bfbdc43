"""Reading spec files: which ones, in which order, and diagnostics for unreadable ones."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from tests.unit.compiler.source.reading import line
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.limits import MAX_BYTES
from toolgen.compiler.source.read import parse, read_specs

if TYPE_CHECKING:
    from pathlib import Path

links = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")


def put(folder: Path, *files: str, text: str = "a: 1") -> None:
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)


def read(project: Path) -> tuple[list[str], list[str]]:
    """Read `specs` of a project; return the paths of the files, and the diagnostics with their files."""
    sink = Diagnostics()
    specs = read_specs(project / "specs", project, sink)
    return [spec.path for spec in specs], [f"{found.span.file}: {line(found)}" for found in sink]


def test_all_yaml_and_json_files_are_read_in_path_order(tmp_path: Path) -> None:
    put(tmp_path, "specs/b.yaml", "specs/a/z.yml", "specs/a.yaml", "specs/B.YAML", "specs/a/b/c.yaml")
    put(tmp_path, "specs/a/y.json", text='{"a": 1}')
    put(tmp_path, "specs/notes.md", "specs/.hidden.yaml", "specs/.git/x.yaml", "specs/x.yaml.bak", "other/x.yaml")

    assert read(tmp_path) == (
        ["specs/B.YAML", "specs/a.yaml", "specs/a/b/c.yaml", "specs/a/y.json", "specs/a/z.yml", "specs/b.yaml"],
        [],
    )


def test_a_spec_has_its_path_its_text_and_its_nodes(tmp_path: Path) -> None:
    (tmp_path / "é x.yaml").write_bytes(b"\xef\xbb\xbfa: 1\r\n")
    (spec,) = read_specs(tmp_path, tmp_path, Diagnostics())

    assert (spec.path, spec.text, spec.root.to_data()) == ("é x.yaml", "a: 1\r\n", {"a": 1})
    assert str(spec.root.span_at(["a"])) == "é x.yaml:1:4"


def test_paths_are_shown_relative_to_the_base(tmp_path: Path) -> None:
    put(tmp_path, "specs/a.yaml")

    assert [spec.path for spec in read_specs(tmp_path / "specs", tmp_path / "app", Diagnostics())] == [
        "../specs/a.yaml"
    ]


def test_a_file_with_a_syntax_error_is_left_out_but_one_with_another_error_is_not(tmp_path: Path) -> None:
    put(tmp_path, "specs/a.yaml", text="a: @")
    put(tmp_path, "specs/b.yaml", text="a: 1\na: 2")
    put(tmp_path, "specs/c.json", text="")

    read_files, found = read(tmp_path)

    assert read_files == ["specs/b.yaml"]
    assert [each[:27] for each in found] == [
        "specs/a.yaml: TG003 1:4-1:5",
        "specs/b.yaml: TG004 2:1-2:2",
        "specs/c.json: TG003 1:1-1:1",
    ]


@links
def test_links_inside_the_folder_are_followed_and_no_file_is_read_twice(tmp_path: Path) -> None:
    put(tmp_path, "specs/b.yaml", "specs/.data/1/c.yaml", "specs/sub/d.yaml")
    (tmp_path / "specs/a.yaml").symlink_to("b.yaml")
    (tmp_path / "specs/c.yaml").symlink_to(".data/1/c.yaml")
    (tmp_path / "specs/again").symlink_to("sub")
    (tmp_path / "specs/sub/loop").symlink_to("..")
    (tmp_path / "specs/more").symlink_to(".data")

    assert read(tmp_path) == (["specs/b.yaml", "specs/c.yaml", "specs/sub/d.yaml"], [])


@links
def test_links_to_outside_of_the_folder_are_refused(tmp_path: Path) -> None:
    put(tmp_path, "secret/x.yaml", "specs/b.yaml")
    (tmp_path / "specs/a.yaml").symlink_to(tmp_path / "secret/x.yaml")
    (tmp_path / "specs/c").symlink_to("../secret")
    (tmp_path / "specs/README").symlink_to("../secret/x.yaml")

    assert read(tmp_path) == (
        ["specs/b.yaml"],
        [
            "specs/a.yaml: TG001 1:1-1:1 this link leads out of the spec folder [replace the link by the file itself]",
            "specs/c: TG001 1:1-1:1 this link leads out of the spec folder [replace the link by the file itself]",
        ],
    )


@links
def test_broken_links_are_reported(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/a.yaml").symlink_to("gone.yaml")
    (tmp_path / "specs/b.yaml").symlink_to("b.yaml")

    _, found = read(tmp_path)

    assert found == [
        "specs/a.yaml: TG001 1:1-1:1 this file cannot be read: No such file or directory",
        "specs/b.yaml: TG001 1:1-1:1 this is not a regular file [replace it by the spec file itself]",
    ]


@links
def test_the_spec_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    put(tmp_path, "real/a.yaml")
    (tmp_path / "specs").symlink_to("real")

    assert read(tmp_path) == (["specs/a.yaml"], [])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    os.mkfifo(tmp_path / "specs/a.yaml")

    assert read(tmp_path) == (
        [],
        ["specs/a.yaml: TG001 1:1-1:1 this is not a regular file [replace it by the spec file itself]"],
    )


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    assert read(tmp_path)[1] == ["specs: TG001 1:1-1:1 this folder cannot be read: No such file or directory"]


def test_a_folder_may_be_named_like_a_spec_file(tmp_path: Path) -> None:
    put(tmp_path, "specs/a.yaml/b.yaml")

    assert read(tmp_path) == (["specs/a.yaml/b.yaml"], [])


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux allows arbitrary bytes in names")
def test_a_name_that_is_not_utf_8_is_reported(tmp_path: Path) -> None:
    put(tmp_path, "specs/b.yaml")
    (tmp_path / "specs" / os.fsdecode(b"\xff.yaml")).write_text("a: 1")

    assert read(tmp_path) == (
        ["specs/b.yaml"],
        ["specs/\\udcff.yaml: TG001 1:1-1:1 the name of this file is not UTF-8 text [rename it]"],
    )


def test_text_that_is_not_utf_8_is_reported_at_its_byte(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/a.yaml").write_bytes("\ufeffé: 1\nb: ü".encode() + b" \xe9\n")

    assert read(tmp_path)[1] == ["specs/a.yaml: TG001 2:6-2:6 the byte 0xe9 is not UTF-8 text [save the file as UTF-8]"]


@pytest.mark.parametrize("path", ["a.yaml", "a.json"])
def test_ten_megabytes_are_read_and_one_byte_more_is_refused(tmp_path: Path, path: str) -> None:
    put(tmp_path, f"specs/{path}", text=f'"{"x" * (MAX_BYTES - 2)}"')
    assert read(tmp_path) == ([f"specs/{path}"], [])

    put(tmp_path, f"specs/{path}", text=f'"{"x" * (MAX_BYTES - 1)}"')
    assert read(tmp_path)[1] == [
        f"specs/{path}: TG002 1:1-1:1 this file is over 10,485,760 bytes [split it into several files]"
    ]


def test_the_size_counts_in_bytes() -> None:
    sink = Diagnostics()

    assert parse("é" * (MAX_BYTES // 2 + 1), "a.yaml", sink) is None
    assert [found.code for found in sink] == ["TG002"]
