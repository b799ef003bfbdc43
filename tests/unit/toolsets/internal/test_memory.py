"""Memories: which notes are recalled, and which the writer refuses."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from toolgen.execute.paths import Folder, FolderEntry, NotAFile
from toolgen.toolsets.internal.memory import LONGEST, SHOWN, Memories, Memory, MemoryWriter, NoteRefused

if TYPE_CHECKING:
    from pathlib import Path


def put(folder: Path, **notes: str) -> None:
    writer = MemoryWriter(folder)
    for name, text in notes.items():
        writer.write(f"{name}.md", text)


def recalled(folder: Path, query: str, limit: int = 5) -> list[str]:
    return [memory.name for memory in Memories(folder).recall(query, limit)]


def test_written_notes_are_recalled(tmp_path: Path) -> None:
    folder = tmp_path / "home" / "memory"
    assert recalled(folder, "coffee") == []
    writer = MemoryWriter(folder)
    writer.write("people/ann.md", "Ann likes her coffee black.\n")
    writer.write("deploys.txt", "Deploys run on Tuesdays.")
    assert Memories(folder).recall("coffee", 5) == (
        Memory(name="people/ann.md", text="Ann likes her coffee black.", truncated=False),
    )
    assert recalled(folder, "ann") == ["people/ann.md"], "the name is searched too"
    writer.write("people/ann.md", "Ann has moved to tea.")
    assert recalled(folder, "coffee") == []
    assert recalled(folder, "tea") == ["people/ann.md"]
    assert [path.name for path in (folder / "people").iterdir()] == ["ann.md"], "no other file is left"


def test_the_best_notes_come_first_up_to_the_limit(tmp_path: Path) -> None:
    put(tmp_path, a="blue key", b="blue", c="key key blue", d="red")
    assert recalled(tmp_path, "blue key", 2) == ["c.md", "a.md"]
    assert recalled(tmp_path, "blue key", 1) == ["c.md"]


def test_a_long_note_is_truncated(tmp_path: Path) -> None:
    put(tmp_path, exact="coffee ".ljust(SHOWN, "x"), longer="coffee ".ljust(SHOWN + 1, "x"))
    found = {memory.name: memory for memory in Memories(tmp_path).recall("coffee", 5)}
    assert (len(found["exact.md"].text), found["exact.md"].truncated) == (SHOWN, False)
    assert (len(found["longer.md"].text), found["longer.md"].truncated) == (SHOWN, True)


def test_files_that_are_not_notes_are_ignored(tmp_path: Path) -> None:
    folder, outside = tmp_path / "memory", tmp_path / "outside"
    put(folder, note="coffee")
    put(outside, other="coffee")
    (folder / "linked.md").symlink_to(outside / "other.md")
    (folder / "linked").symlink_to(outside)
    (folder / ".hidden.md").write_text("coffee")
    (folder / ".trash").mkdir()
    (folder / ".trash" / "old.md").write_text("coffee")
    (folder / "picture.png").write_bytes(b"coffee")
    (folder / "empty-coffee.md").write_text("  \n")
    (folder / "folder.md").mkdir()
    os.mkfifo(folder / "pipe.md")
    assert recalled(folder, "coffee") == ["note.md"]


def test_a_name_that_is_not_text_is_escaped(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("coffee")
    except OSError:
        pytest.skip("this file system only allows UTF-8 names")
    assert recalled(tmp_path, "coffee") == ["caf\\xe9.md"]


def test_notes_in_too_deep_folders_are_ignored(tmp_path: Path) -> None:
    for depth in (8, 9):
        folder = tmp_path.joinpath("memory", *"abcdefghi"[:depth])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "note.md").write_text("coffee")
    assert recalled(tmp_path / "memory", "coffee") == ["a/b/c/d/e/f/g/h/note.md"]


@pytest.mark.parametrize(
    "name",
    [
        "../outside/note.md",
        "a/../../outside/note.md",
        "/etc/note.md",
        "//note.md",
        "a//note.md",
        "",
        ".",
        "..",
        "a/",
        "a/..",
        "./note.md",
        ".note.md",
        ".git/note.md",
        "note",
        "note.py",
        ".md",
        "note.md\0",
        "no\nte.md",
        "\ud800.md",
        "x" * 253 + ".md",
        "ü" * 127 + ".md",
        "/".join("abcdefghi") + "/note.md",
        "~/note.md/..",
    ],
)
def test_the_writer_refuses_names_outside_of_its_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(NoteRefused):
        MemoryWriter(tmp_path / "memory").write(name, "text")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["note.md", "a/b/c/d/e/f/g/h/note.md", "~/note.md", "a..b/no te.txt", "ü" * 126 + ".md"]
)
def test_the_writer_accepts_names_below_its_folder(tmp_path: Path, name: str) -> None:
    MemoryWriter(tmp_path / "memory").write(name, "coffee")
    assert (tmp_path / "memory" / name).read_text() == "coffee"
    assert recalled(tmp_path / "memory", "coffee") == [name]


def test_the_writer_refuses_invalid_and_too_long_text(tmp_path: Path) -> None:
    writer = MemoryWriter(tmp_path)
    with pytest.raises(NoteRefused, match="longer than 65536 bytes"):
        writer.write("note.md", "x" * (LONGEST + 1))
    with pytest.raises(NoteRefused, match="lone surrogate"):
        writer.write("note.md", "\ud800")
    assert list(tmp_path.iterdir()) == []


def test_the_writer_follows_no_link(tmp_path: Path) -> None:
    folder, outside = tmp_path / "memory", tmp_path / "outside"
    outside.mkdir()
    (outside / "note.md").write_text("mine")
    put(folder, here="x")
    (folder / "linked").symlink_to(outside)
    (folder / "linked.md").symlink_to(outside / "note.md")
    (folder / "dangling.md").symlink_to(outside / "new.md")
    (folder / "file").write_text("x")
    for name in ("linked/note.md", "linked/new.md", "linked.md", "dangling.md", "file/note.md"):
        with pytest.raises((NotAFile, NotADirectoryError)):
            MemoryWriter(folder).write(name, "theirs")
    assert [path.name for path in outside.iterdir()] == ["note.md"]
    assert (outside / "note.md").read_text() == "mine"


def test_a_hard_link_is_replaced_without_changing_its_other_name(tmp_path: Path) -> None:
    put(tmp_path / "memory", note="x")
    (tmp_path / "outside.md").write_text("mine")
    (tmp_path / "memory" / "hard.md").hardlink_to(tmp_path / "outside.md")
    MemoryWriter(tmp_path / "memory").write("hard.md", "theirs")
    assert (tmp_path / "outside.md").read_text() == "mine"


def test_a_folder_concurrently_replaced_by_a_link_is_not_followed(tmp_path: Path) -> None:
    folder, outside = tmp_path / "memory", tmp_path / "outside"
    outside.mkdir()
    notes = folder / "notes"
    is_over = threading.Event()

    def swap() -> None:
        while not is_over.is_set():
            shutil.rmtree(notes, ignore_errors=True)
            with suppress(OSError):
                notes.symlink_to(outside)
            with suppress(OSError):
                notes.unlink()

    swapping = threading.Thread(target=swap)
    swapping.start()
    outcomes = Counter[str]()
    try:
        for number in range(200_000):
            try:
                MemoryWriter(folder).write("notes/note.md", str(number))
                outcomes["written"] += 1
            except OSError:
                outcomes["refused"] += 1
                time.sleep(0)  # the other thread's turn
            if min(outcomes["written"], outcomes["refused"]) >= 8:
                break
    finally:
        is_over.set()
        swapping.join()
    assert list(outside.iterdir()) == []
    assert min(outcomes["written"], outcomes["refused"]) >= 8


def test_concurrent_readers_see_the_old_or_the_new_note(tmp_path: Path) -> None:
    texts = ["coffee " + letter * 20_000 for letter in "ab"]
    put(tmp_path, note=texts[0])
    is_over = threading.Event()

    def write() -> None:
        while not is_over.is_set():
            for text in texts:
                put(tmp_path, note=text)

    writing = threading.Thread(target=write)
    writing.start()
    try:
        for _ in range(100):
            (memory,) = Memories(tmp_path).recall("coffee", 1)
            assert memory.text in [text[:SHOWN] for text in texts]
    finally:
        is_over.set()
        writing.join()


def test_a_note_deleted_during_recall_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, gone="coffee", stays="coffee")
    listed = Folder.entries

    def entries(folder: Folder) -> list[FolderEntry]:
        found = listed(folder)
        (tmp_path / "gone.md").unlink()
        return found

    monkeypatch.setattr(Folder, "entries", entries)
    assert recalled(tmp_path, "coffee") == ["stays.md"]
