"""Differences: unified diffs, bounded in length and time."""

from __future__ import annotations

import difflib

from hypothesis import given
from hypothesis import strategies as st

from toolgen.compiler.publish.drift import LINES, WIDTH, difference

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=30).map(lambda lines: "".join(f"{x}\n" for x in lines))


@given(TEXTS, TEXTS)
def test_a_difference_is_the_unified_diff_of_the_two_texts(old: str, new: str) -> None:
    shown = difference("x", old.encode(), new.encode()).split("\n")

    restored = difflib.unified_diff(old.splitlines(), new.splitlines(), "a/x", "b/x", lineterm="")
    if old == new:
        assert shown == [""]
    else:
        assert sum(1 for _ in restored) > 0
        assert _patched(old.splitlines(), shown) == new.splitlines()


def _patched(lines: list[str], diff: list[str]) -> list[str]:
    """Apply a unified diff, as `patch` does."""
    result: list[str] = []
    position = 0
    for line in diff[2:]:
        if line.startswith("@@"):
            start, _, length = line.split()[1][1:].partition(",")
            first = int(start) - (length != "0")
            result += lines[position:first]
            position = first
        elif line[0] == "+":
            result.append(line[1:])
        else:
            assert lines[position] == line[1:]
            position += 1
            if line[0] == " ":
                result.append(line[1:])
    return result + lines[position:]


def test_new_and_removed_files_are_compared_with_an_empty_text() -> None:
    assert difference("x", None, b"a\n") == "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a"
    assert difference("x", b"a\n", None) == "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a"


def test_a_missing_newline_at_the_end_is_shown() -> None:
    assert difference("x", b"a\n", b"a").split("\n")[-2:] == [" a", "+\\ No newline at end of file"]


def test_a_long_difference_is_cut() -> None:
    old = "".join(f"old {number}\n" for number in range(100_000)).encode()
    new = "".join(f"new {number}\n" for number in range(100_000)).encode()

    shown = difference("x", old, new).split("\n")

    assert len(shown) == LINES + 1
    assert shown[-1] == "(the rest is not shown)"


def test_a_long_line_is_cut() -> None:
    (*_, last) = difference("x", b"", b"x" * 100_000 + b"\n").split("\n")

    assert last == "+" + "x" * (WIDTH - 2) + "…"


def test_a_long_line_that_replaces_another_is_cut_around_the_first_difference() -> None:
    old, new = (f"{'x' * 1_000}{mark}{'y' * 1_000}\n".encode() for mark in ("old", "new"))

    (*_, removed, added) = difference("x", old, new).split("\n")

    assert removed.startswith(f"-…{'x' * (WIDTH // 4)}oldy")
    assert added.startswith(f"+…{'x' * (WIDTH // 4)}newy")
    assert len(removed) == len(added) == WIDTH


def test_control_characters_are_escaped() -> None:
    (*_, last) = difference("x", b"", "\x1b[31m\u202e\tred\n".encode()).split("\n")

    assert last == "+\\x1b[31m\\u202e\tred"
