"""Reading files: only regular ones, bounded, and never blocking."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.spec import files
from toolgen.spec.files import LeadsOut, NotRegular, TooLarge, is_inside, open_file, read_file, read_file_inside

posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes, sockets, devices and links of POSIX")


@given(content=st.binary(max_size=300), limit=st.integers(0, 300))
def test_a_file_is_read_completely_or_refused_for_its_size(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, limit: int
) -> None:
    place = tmp_path_factory.getbasetemp() / "content"
    place.write_bytes(content)
    if len(content) <= limit:
        assert read_file(place, limit) == content
        return
    with pytest.raises(TooLarge) as raised:
        read_file(place, limit)
    assert (raised.value.strerror, raised.value.filename) == (f"it is over {limit:,} bytes", str(place))


@posix
def test_a_file_larger_than_its_reported_size_is_refused_while_reading() -> None:
    """Files of the kernel report a size of 0."""
    assert read_file("/proc/self/stat", 4096).startswith(b"%d " % os.getpid())
    with pytest.raises(TooLarge):
        read_file("/proc/self/stat", 10)


@posix
def test_only_regular_files_are_opened_and_others_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to pipe").symlink_to("pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")

    kinds = {"pipe": "a pipe", "to pipe": "a pipe", "device": "a device", "socket": "a socket", ".": "a folder"}
    with monkeypatch.context() as opening:
        opening.setattr(os, "open", None)
        for name, kind in kinds.items():
            for read in (lambda name: read_file(name, 10), open_file):
                with pytest.raises(NotRegular) as raised:
                    read(name)
                assert raised.value.strerror == f"it is {kind}, not a regular file"
        with pytest.raises(NotRegular, match="it is a link, not a regular file"):
            read_file("link", 10, follow=False)
    assert read_file("link", 10) == b"x"


def open_descriptors() -> int:
    return len([*Path("/dev/fd").iterdir()])


@posix
def test_a_file_replaced_by_a_pipe_after_the_check_does_not_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "file"
    place.write_text("x")
    look = files.check_regular

    def look_and_replace(path: str, *, follow: bool) -> os.stat_result:
        status = look(path, follow=follow)
        place.unlink()
        os.mkfifo(place)
        return status

    monkeypatch.setattr(files, "check_regular", look_and_replace)
    before = open_descriptors()
    with pytest.raises(NotRegular, match="it is a pipe"):
        read_file(str(place), 10)
    assert open_descriptors() == before


@posix
def test_no_link_leads_out_of_a_folder(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    (inside / "deeper").mkdir(parents=True)
    (tmp_path / "outside").write_text("x")
    (inside / "file").write_text("y")
    (inside / "deeper/back").symlink_to("../file")
    (inside / "out").symlink_to("../outside")
    (inside / "up").symlink_to("..")
    (inside / "gone").symlink_to("nowhere")

    assert read_file_inside(inside / "deeper/back", inside, 10) == b"y"
    for name in ("out", "up/outside"):
        with pytest.raises(LeadsOut):
            read_file_inside(inside / name, inside, 10)
    with pytest.raises(FileNotFoundError):
        read_file_inside(inside / "gone", inside, 10)


def test_a_folder_whose_path_starts_like_another_is_not_inside_it() -> None:
    assert [is_inside(path, "/a") for path in ("/a", "/a/b", "/ab", "/")] == [True, True, False, False]
    assert is_inside("/a", "/")
