"""edit_file."""

from __future__ import annotations

import codecs
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.contract.records import FailureKind, ToolCallMeta
from toolgen.runtime.base.errors import CallFailed
from toolgen.toolsets.code import edit
from toolgen.toolsets.code.text import Change, Encoding, FileText, normalised
from toolgen.toolsets.generated.tools.code import EditFileArgs, EditFileArgsEditsItem

if TYPE_CHECKING:
    from tests.unit.toolsets.code.world import World


def edited(world: World, content: str | bytes, *edits: tuple[str, str], **more: Any) -> bytes:
    """Make replacements in a file and return its content."""
    file = world.put("project/a.txt", content)
    world.call("edit_file", path="a.txt", edits=[{"old": old, "new": new, **more} for old, new in edits])
    return file.read_bytes()


def test_reg_48_a_text_that_occurs_once_is_replaced(world: World) -> None:
    assert edited(world, "one two three", ("two", "2")) == b"one 2 three"


def test_reg_48_edits_follow_one_another(world: World) -> None:
    assert edited(world, "one", ("one", "two two"), ("two two", "three")) == b"three"


def test_reg_48_replace_all_replaces_all(world: World) -> None:
    world.put("project/a.txt", "a-a-a")
    result = world.call("edit_file", path="a.txt", edits=[{"old": "a", "new": "aa", "replace_all": True}])
    assert (result.replacements, result.created) == (3, False)
    assert (world.project / "a.txt").read_text() == "aa-aa-aa"


@pytest.mark.parametrize(
    ("edits", "code", "message"),
    [
        ([("zero", "")], "text_not_found", "the old text of the edit does not occur in the file"),
        ([("one", "")], "ambiguous_edit", "the old text of the edit occurs 2 times"),
        ([("", "x")], "ambiguous_edit", "the old text of the edit is empty, but the file is not"),
        ([("two", "x"), ("two", "y")], "text_not_found", "the old text of edit 2 does not occur in the file"),
        ([("two", "one"), ("one", "y")], "ambiguous_edit", "the old text of edit 2 occurs 3 times"),
        ([("ONE", "")], "text_not_found", "the old text of the edit does not occur in the file"),
    ],
)
def test_reg_48_after_an_error_the_file_is_unchanged(
    world: World, edits: list[tuple[str, str]], code: str, message: str
) -> None:
    file = world.put("project/a.txt", "one two one")
    before = file.stat()
    failure = world.failure("edit_file", path="a.txt", edits=[{"old": old, "new": new} for old, new in edits])
    assert (failure.kind, failure.code, failure.message) == (FailureKind.DOMAIN_REJECTION, code, message)
    assert failure.hint
    assert file.read_text() == "one two one"
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert [path.name for path in world.project.iterdir()] == ["a.txt"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\nold\nb", b"a\nnew\nline\nb"),
        (b"a\r\nold\r\nb\r\n", b"a\r\nnew\r\nline\r\nb\r\n"),
        (b"a\r\nold\r\nb\nc\r\n", b"a\r\nnew\r\nline\r\nb\nc\r\n"),
        (b"a\nold\nb\r\nc\n", b"a\nnew\nline\nb\r\nc\n"),
        (b"a\rold\r\r\nb", b"a\rnew\r\nline\r\r\nb"),
        (codecs.BOM_UTF8 + b"old", codecs.BOM_UTF8 + b"new\nline"),
        (
            codecs.BOM_UTF16_LE + "é old\r\n".encode("utf-16-le"),
            codecs.BOM_UTF16_LE + "é new\r\nline\r\n".encode("utf-16-le"),
        ),
        (codecs.BOM_UTF16_BE + "old".encode("utf-16-be"), codecs.BOM_UTF16_BE + "new\nline".encode("utf-16-be")),
        (b"caf\xe9 old \xff\n", b"caf\xe9 new\nline \xff\n"),
    ],
)
def test_reg_48_encoding_and_line_endings_are_kept(world: World, before: bytes, after: bytes) -> None:
    assert edited(world, before, ("old", "new\nline")) == after


def test_reg_48_old_and_new_text_may_have_either_line_ending(world: World) -> None:
    assert edited(world, b"a\r\nb\r\n", ("a\nb", "c\nd")) == b"c\r\nd\r\n"
    assert edited(world, b"a\nb\n", ("a\r\nb", "c\r\nd")) == b"c\nd\n"


def test_text_outside_the_encoding_of_a_file_is_refused(world: World) -> None:
    world.put("project/a.txt", b"caf\xe9 old")
    code = world.code("edit_file", path="a.txt", edits=[{"old": "old", "new": "né"}])
    assert (code, (world.project / "a.txt").read_bytes()) == ("unsupported_encoding", b"caf\xe9 old")


@pytest.mark.parametrize("content", [b"\0", codecs.BOM_UTF16_LE + b"x"])
def test_reg_49_a_binary_file_is_not_edited(world: World, content: bytes) -> None:
    world.put("project/a.txt", content)
    assert world.code("edit_file", path="a.txt", edits=[{"old": "x", "new": "y"}]) == "binary_file"


def test_reg_47_a_missing_file_is_created_only_with_create_if_missing(world: World) -> None:
    edits = [{"old": "", "new": "new\n"}]
    failure = world.failure("edit_file", path="a/b.txt", edits=edits)
    assert (failure.code, "create_if_missing" in failure.hint) == ("file_not_found", True)
    result = world.call("edit_file", path="a/b.txt", edits=edits, create_if_missing=True)
    assert (result.replacements, result.created) == (1, True)
    assert (world.project / "a/b.txt").read_text() == "new\n"


def test_reg_47_a_failed_edit_creates_neither_file_nor_folder(world: World) -> None:
    edits = [{"old": "x", "new": "y"}]
    assert world.code("edit_file", path="a/b.txt", edits=edits, create_if_missing=True) == "text_not_found"
    assert not list(world.project.iterdir())


@pytest.mark.parametrize("given", [{}, {"edits": [], "unified_diff": ""}])
def test_reg_47_programs_must_also_give_exactly_one_of_edits_and_diff(world: World, given: dict[str, Any]) -> None:
    world.put("project/a.txt", "x")
    with pytest.raises(CallFailed, match="exactly one of edits and unified_diff") as caught:
        world.tools.edit_file(EditFileArgs(path="a.txt", **given), ToolCallMeta())
    assert caught.value.code == "validation_error"


def test_reg_48_a_concurrent_change_is_not_lost(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    file = world.put("project/a.txt", "one")
    applied = edit.apply_edits

    def slowly(*args: Any) -> Any:
        file.write_text("one more")
        return applied(*args)

    monkeypatch.setattr("toolgen.toolsets.code.edit.apply_edits", slowly)
    assert world.code("edit_file", path="a.txt", edits=[{"old": "one", "new": "two"}]) == "path_conflict"
    assert file.read_text() == "one more"


def test_a_file_that_is_too_large_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.put("project/a.txt", "12345")
    monkeypatch.setattr(edit, "LARGEST", 4)
    failure = world.failure("edit_file", path="a.txt", edits=[{"old": "1", "new": ""}])
    assert (failure.code, failure.message) == ("file_too_large", "'a.txt' has 5 bytes; the maximum is 4")


TEXTS = st.lists(st.sampled_from(["a", "é", "\r", "\n", "\r\n", "\ud7ff"])).map("".join)


@given(raw=TEXTS, new=TEXTS, data=st.data())
def test_reg_48_an_edit_changes_nothing_else(raw: str, new: str, data: st.DataObject) -> None:
    text = FileText.of(raw, Encoding("utf-8"))
    start = data.draw(st.integers(0, len(text.view)))
    end = data.draw(st.integers(start, len(text.view)))
    new = new.replace("\r", "")
    changed = text.changed([Change(start, end, new)])
    assert text.changed([]).encode() == text.encode() == raw.encode()
    before, after = text.view[:start], text.view[end:]
    if not before.endswith("\r"):  # with a following line feed it would become one line ending
        assert changed.view == before + new + after
    assert changed.raw.endswith(raw[len(raw) - len(after) - after.count("\n") :][-len(after) :] if after else "")


@given(raw=TEXTS, data=st.data())
def test_reg_48_a_line_keeps_its_end_where_an_edit_repeats_it(raw: str, data: st.DataObject) -> None:
    text = FileText.of(raw, Encoding("utf-8"))
    places = [at for at, char in enumerate(text.view) if char in "aé"]
    if not places:
        return
    at = data.draw(st.sampled_from(places))
    start, end = data.draw(st.integers(0, at)), data.draw(st.integers(at + 1, len(text.view)))
    old = text.view[start:end]
    if text.view.count(old) != 1 or normalised(old) != old:
        return
    item = EditFileArgsEditsItem(old=old, new=f"{old[: at - start]}X{old[at - start + 1 :]}")
    changed, _ = edit.apply_edits(text, [item])
    letter = [place for place, char in enumerate(raw) if char in "aé"][places.index(at)]
    assert changed.raw == f"{raw[:letter]}X{raw[letter + 1 :]}"


@pytest.mark.parametrize("size", [1, 200_000])
def test_reg_48_of_two_edits_at_once_none_is_lost(world: World, size: int) -> None:
    for _ in range(5):
        file = world.put("project/a.txt", "first\n" + "line\n" * size + "last\n")

        def change(old: str) -> str:
            try:
                world.call("edit_file", path="a.txt", edits=[{"old": old, "new": old.upper()}])
            except CallFailed as failure:
                return failure.code
            return ""

        with ThreadPoolExecutor(2) as threads:
            codes = [*threads.map(change, ["first", "last"])]
        assert [old.upper() in file.read_text() for old in ("first", "last")] == [code == "" for code in codes]
        assert {*codes} <= {"", "path_conflict"}
