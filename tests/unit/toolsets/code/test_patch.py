"""edit_file with a unified diff."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed
from toolgen.toolsets.code.edit import _split, apply_patch
from toolgen.toolsets.code.text import Encoding, FileText

if TYPE_CHECKING:
    from tests.unit.toolsets.code.world import World

FILE = "one\ntwo\nthree\nfour\nfive\n"
HEADER = "--- a/a.txt\n+++ b/a.txt\n"
HUNK = "@@ -2,2 +2,2 @@\n two\n-three\n+3\n"


def applied(diff: str, file: str = FILE) -> str:
    return apply_patch(FileText.of(file, Encoding("utf-8")), diff, ["a.txt"])[0].raw


@pytest.mark.parametrize(
    "header",
    [
        HEADER,
        "",
        "--- a.txt\n+++ a.txt\n",
        "--- ./a.txt\t2024-01-01 00:00:00\n+++ b/./a.txt\t2024-01-02 00:00:00\n",
        f"diff --git a/a.txt b/a.txt\nindex 123..456 100644\n{HEADER}",
    ],
)
def test_reg_49_a_diff_of_the_file_is_applied(world: World, header: str) -> None:
    file = world.put("project/a.txt", FILE)
    result = world.call("edit_file", path="a.txt", unified_diff=header + HUNK)
    assert (result.replacements, result.created) == (1, False)
    assert file.read_text() == "one\ntwo\n3\nfour\nfive\n"


@pytest.mark.parametrize("path", ["{project}/sub/a.txt", "./sub/../sub/a.txt", "sub/a.txt"])
def test_reg_49_a_diff_may_name_the_file_by_its_project_path(world: World, path: str) -> None:
    file = world.put("project/sub/a.txt", FILE)
    diff = "--- a/sub/a.txt\n+++ b/sub/a.txt\n" + HUNK
    world.call("edit_file", path=path.format(project=world.project), unified_diff=diff)
    assert file.read_text() == "one\ntwo\n3\nfour\nfive\n"


@pytest.mark.parametrize(
    ("hunks", "content"),
    [
        ("@@ -1 +1,2 @@\n-one\n+1\n+1b\n@@ -4,2 +5 @@\n four\n-five\n", "1\n1b\ntwo\nthree\nfour\n"),
        ("@@ -0,0 +1 @@\n+zero\n", f"zero\n{FILE}"),
        ("@@ -5,0 +6 @@ def f():\n+six\n", f"{FILE}six\n"),
        ("@@ -1,5 +0,0 @@\n-one\n-two\n-three\n-four\n-five\n", ""),
        ("@@ -5 +5 @@\n-five\n+5\n\\ No newline at end of file\n", FILE.replace("five\n", "5")),
        ("@@ -2,2 +2,3 @@\n two\n+--- x\n three", FILE.replace("two\n", "two\n--- x\n")),
    ],
)
def test_reg_49_hunks_are_applied_at_their_positions(hunks: str, content: str) -> None:
    assert applied(HEADER + hunks) == content


def test_reg_49_line_endings_are_kept(world: World) -> None:
    file = world.put("project/a.txt", "a\r\nb\nc\r\n")
    world.call("edit_file", path="a.txt", unified_diff="@@ -1,3 +1,4 @@\n a\n b\n+new\n c\n")
    assert file.read_bytes() == b"a\r\nb\nnew\r\nc\r\n"


def test_reg_49_an_empty_line_counts_as_empty_context() -> None:
    assert applied("@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", "a\n\nb\n") == "a\n\nc\n"


def test_reg_49_a_diff_can_create_a_file(world: World) -> None:
    diff = "diff --git a/a.txt b/a.txt\nnew file mode 100644\n--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n"
    assert world.code("edit_file", path="a.txt", unified_diff=diff) == "file_not_found"
    assert world.call("edit_file", path="a.txt", unified_diff=diff, create_if_missing=True).created
    assert (world.project / "a.txt").read_text() == "one\ntwo\n"


@pytest.mark.parametrize(
    ("diff", "message"),
    [
        ("", "the diff has no hunk"),
        (HEADER, "the diff has no hunk"),
        ("nonsense\n", "line 1 of the diff is not valid in a unified diff: 'nonsense'"),
        (f"--- a/a.txt\n{HUNK}", "the line after --- must begin with +++"),
        (f"--- a/b.txt\n+++ b/b.txt\n{HUNK}", "the diff is for 'a/b.txt', not for the path of this call"),
        (f"--- a/a.txt\n+++ b/b.txt\n{HUNK}", "the diff is for 'b/b.txt', not for the path of this call"),
        (f"--- sub/a.txt\n+++ sub/a.txt\n{HUNK}", "the diff is for 'sub/a.txt', not for the path of this call"),
        (f"--- a/../a.txt\n+++ /etc/passwd\n{HUNK}", "the diff is for '/etc/passwd', not for the path of this call"),
        (f"--- a/a.txt\n+++ /dev/null\n{HUNK}", "the diff deletes a file"),
        ("diff --git a/a.txt b/a.txt\ndeleted file mode 100644\n", "the diff deletes a file"),
        ("diff --git a/a.txt b/b.txt\nsimilarity index 100%\n", "the diff renames or copies a file"),
        ("rename from a.txt\nrename to b.txt\n", "the diff renames a file"),
        ("copy from a.txt\n", "the diff copies a file"),
        ("old mode 100644\nnew mode 100755\n", "the diff changes the mode of a file"),
        ("GIT binary patch\nliteral 4\n", "the diff is binary"),
        ("Binary files a/a.txt and b/a.txt differ\n", "the diff is binary"),
        (f"{HEADER}{HUNK}--- a/b.txt\n+++ b/b.txt\n{HUNK}", "the diff changes more than one file"),
        (f"{HEADER}{HUNK}diff --git a/b b/b\n", "the diff changes more than one file"),
        (f"{HEADER}@@ nonsense\n", "line 3 of the diff does not begin a hunk: '@@ nonsense'"),
        (f"{HEADER}{HUNK} four\n", "line 7 of the diff does not begin a hunk: ' four'"),
        (f"{HEADER}@@ -2,3 +2,3 @@\n two\n-three\n+3\n", "the hunk at line 2 does not have as many lines as it says"),
        (f"{HEADER}@@ -2 +2 @@\n two\n-three\n", "line 5 of the diff does not begin a hunk: '-three'"),
        (
            HEADER + HUNK.replace("three", "drei"),
            "hunk 1 does not fit: in line 3 it has 'drei\\n', and the file has 'three\\n'",
        ),
        (
            HEADER + HUNK.replace(" two", " two "),
            "hunk 1 does not fit: in line 2 it has 'two \\n', and the file has 'two\\n'",
        ),
        (f"{HEADER}@@ -6 +6 @@\n-six\n", "hunk 1 does not fit: in line 6 it has 'six\\n', and the file ends there"),
        (f"{HEADER}@@ -9,0 +9 @@\n+x\n", "hunk 1 begins at line 9; the file has 5 lines"),
        (f"{HEADER}{HUNK}@@ -3 +3 @@\n-three\n+x\n", "hunk 2 begins before the end of the previous one"),
        (f"{HEADER}@@ -0,1 +1 @@\n-one\n+1\n", "hunk 1 begins before the end of the previous one"),
    ],
)
def test_reg_49_a_diff_that_does_not_fit_changes_nothing(world: World, diff: str, message: str) -> None:
    file = world.put("project/a.txt", FILE)
    if diff.endswith("-six\n"):
        diff = diff.replace("+6", "+5,0")
    failure = world.failure("edit_file", path="a.txt", unified_diff=diff)
    assert (failure.kind, failure.code) == (FailureKind.DOMAIN_REJECTION, "patch_apply_failed")
    assert failure.message == message
    assert file.read_text() == FILE


@pytest.mark.parametrize(
    ("diff", "file", "hint"),
    [
        ("@@ -1,2 +1,2 @@\n two\n-three\n+3\n", FILE, "the lines of this hunk occur at line 2"),
        (
            "@@ -1 +1 @@\n-two\n+2\n",
            "one\ntwo\ntwo\n",
            "read the file again: every line of context must match exactly",
        ),
        (
            "@@ -1 +1 @@\n-x\n+y\n",
            "x",
            "line 1 has no newline at its end: add '\\ No newline at end of file' after it",
        ),
    ],
)
def test_reg_49_a_hint_says_how_to_correct_the_diff(diff: str, file: str, hint: str) -> None:
    with pytest.raises(CallFailed) as caught:
        applied(diff, file)
    assert caught.value.hint == hint


LINES = st.lists(st.sampled_from(["a\n", "b\n", "\n", " x\n", "-x\n", "--- x\n", "+++ x\n", "\\\n"]), max_size=12)
LAST = st.sampled_from(["", "end"])


def unified(before: list[str], after: list[str], context: int) -> str:
    """Return a diff like `diff -u`: difflib leaves out the marker of a missing final newline."""
    lines = difflib.unified_diff(before, after, "a/a.txt", "b/a.txt", n=context)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


@given(LINES, LAST, LINES, LAST, st.integers(0, 4))
def test_reg_49_any_diff_changes_the_old_text_into_the_new(
    old: list[str], old_end: str, new: list[str], new_end: str, context: int
) -> None:
    before, after = ([*lines, *filter(None, [end])] for lines, end in ((old, old_end), (new, new_end)))
    diff = unified(before, after, context)
    if diff:
        assert applied(diff, "".join(before)) == "".join(after)


@given(st.text(alphabet="@-+ \n\\,0123ab/", max_size=60))
def test_reg_49_any_text_is_applied_or_refused(diff: str) -> None:
    code = ""
    try:
        applied(diff)
    except CallFailed as failure:
        code = failure.code
    assert code in ("", "patch_apply_failed")


@given(LINES, LAST, st.integers(0, 13), st.integers(0, 3), LINES.map(lambda lines: lines[:3]), st.integers(-1, 4))
@example(["a\n", "b\n"], "", 0, 1, ["x\n"], 0)
@example(["a\n"], "end", 2, 0, ["x\n"], -1)
def test_reg_49_lines_are_never_joined(
    lines: list[str], end: str, start: int, removed: int, added: list[str], unended: int
) -> None:
    before = [*lines, *filter(None, [end])]
    start = min(start, len(before))
    old = before[start : start + removed]
    marked = [("-", line) for line in old] + [("+", line) for line in added]
    if not marked:
        return
    diff = f"@@ -{start + bool(old)},{len(old)} +{start + 1},{len(added)} @@\n"
    for at, (mark, line) in enumerate(marked):
        diff += mark + (line if line.endswith("\n") else f"{line}\n")
        if at == unended or not line.endswith("\n"):
            diff += "\\ No newline at end of file\n"
    new = [line.removesuffix("\n") if at + len(old) == unended else line for at, line in enumerate(added)]
    try:
        after = applied(diff, "".join(before))
    except CallFailed:
        return
    assert _split(after) == [line for line in (*before[:start], *new, *before[start + len(old) :]) if line]
