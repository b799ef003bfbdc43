"""Built-in tools: each takes time in proportion to its files and to what a model sends."""

from __future__ import annotations

import codecs
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.toolsets.code.world import World, needs_ripgrep
from tests.work import assert_linear
from toolgen.runtime.base.errors import CallFailed
from toolgen.toolsets.code import edit
from toolgen.toolsets.internal import Skills
from toolgen.toolsets.internal.memory import Memories, MemoryWriter, best

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Case = tuple[bytes, dict[str, Any]]

LARGE = 48_000


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def one_edit(content: bytes, old: str, new: str) -> Case:
    return content, {"edits": [{"old": old, "new": new, "replace_all": True}]}


def hunk(lines: int, changed: str) -> str:
    context = " x\n" * (lines - 1)
    return f"@@ -1,{lines} +1,{lines} @@\n{context}-{changed}\n+y\n"


EDITS: dict[str, Callable[[int], Case]] = {
    "many occurrences": lambda n: one_edit(b"a b\n" * n, "a", "b"),
    "many occurrences with line ends": lambda n: one_edit(b"a b\n" * n, "a b\n", "c\n\n"),
    "many occurrences, CRLF": lambda n: one_edit(b"a b\r\n" * n, "a b\n", "c\n\n"),
    "many occurrences, both ends": lambda n: one_edit(b"a b\r\nc\n" * n, "b\nc", "c\nb"),
    "many occurrences, UTF-16": lambda n: one_edit(codecs.BOM_UTF16_LE + ("é\n" * n).encode("utf-16-le"), "é", "è"),
    "many occurrences, unknown encoding": lambda n: one_edit(b"\xe9 a\n" * n, "a", "b"),
    "nothing found in a text that nearly fits everywhere": lambda n: one_edit(b"a" * n, "a" * (n // 2) + "b", ""),
    "many edits": lambda n: (b"\xe9 a\n", {"edits": [{"old": "a", "new": "a"}] * (n // 10)}),
    "many hunks": lambda n: (
        b"x\n" * n,
        {"unified_diff": "".join(f"@@ -{line} +{line} @@\n-x\n+y\n" for line in range(1, n, 10))},
    ),
    "many changes in a hunk": lambda n: (
        b"x\nz\n" * n,
        {"unified_diff": f"@@ -1,{2 * n} +1,{2 * n} @@\n" + "-x\n+y\n z\n" * n},
    ),
    "a hunk that fits nowhere": lambda n: (b"x\n" * n, {"unified_diff": hunk(n // 2, "z")}),
    "a small hunk that fits nowhere": lambda n: (b"x\n" * n, {"unified_diff": hunk(5, "z")}),
    "a hunk that fits somewhere else": lambda n: (b"x\n" * n + b"z\n", {"unified_diff": hunk(n // 2, "z")}),
    "a diff of nothing": lambda n: (b"x\n", {"unified_diff": "\n" * n}),
}


def outcome(world: World, tool: str, args: dict[str, Any]) -> object:
    try:
        return world.call(tool, **args)
    except CallFailed as failure:
        return failure


@pytest.mark.parametrize("case", EDITS)
@pytest.mark.variants(5)
def test_edit_file_takes_linear_time(world: World, case: str) -> None:
    def work(size: int) -> Callable[[], object]:
        content, args = EDITS[case](size)
        world.put("project/a.txt", content)
        return partial(outcome, world, "edit_file", {"path": "a.txt", **args})

    assert_linear(work, LARGE)


def test_edits_that_would_read_too_much_are_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edit, "MOST_SEARCHED", 100)
    world.put("project/a.txt", "x" * 10)
    edits = [{"old": "x" * 10, "new": "x" * 10}]
    assert world.call("edit_file", path="a.txt", edits=edits * 10).replacements == 10
    assert world.code("edit_file", path="a.txt", edits=edits * 11) == "file_too_large"


def test_an_edit_that_makes_a_huge_file_is_refused(world: World) -> None:
    world.put("project/a.txt", "a" * 100_000)
    edits = [{"old": "a", "new": "b" * 100_000, "replace_all": True}]
    failure = world.failure("edit_file", path="a.txt", edits=edits)
    assert failure.message == "the edit makes a file of 10000000000 characters; the maximum is 33554432"


FILES: dict[str, tuple[str, Callable[[int], Case]]] = {
    "many lines are skipped": ("read_file", lambda n: (b"x\n" * n, {"start_line": n})),
    "a long line is skipped": ("read_file", lambda n: (b"x" * n * 20 + b"\ny", {"start_line": 2})),
    "a long line is shown": ("read_file", lambda n: (b"x" * n * 20, {})),
    "a text is written": ("write_file", lambda n: (b"", {"content": "é\n" * n * 10, "overwrite": True})),
    "many lines match": ("search", lambda n: (b"x\n" * n, {"query": "x", "limit": 1000})),
    "a long line matches often": ("search", lambda n: (b"x " * n * 10, {"query": "x"})),
    "a long line of bytes matches": ("search", lambda n: (b"\xff " * n * 10 + b"x", {"query": "x"})),
    "many lines match, UTF-16": ("search", lambda n: (("x\n" * n).encode("utf-16"), {"query": "x", "limit": 1000})),
    "the last line matches, UTF-16": ("search", lambda n: (("y\n" * n + "x").encode("utf-16"), {"query": "x"})),
}


@needs_ripgrep
@pytest.mark.parametrize("case", FILES)
def test_tools_for_a_file_take_linear_time(world: World, case: str) -> None:
    tool, make = FILES[case]

    def work(size: int) -> Callable[[], object]:
        content, args = make(size)
        world.put("project/a.txt", content)
        return partial(outcome, world, tool, {"path": "a.txt", **args})

    assert_linear(work, LARGE)


@needs_ripgrep
@pytest.mark.parametrize(
    ("tool", "args"), [("list_dir", {"recursive": True, "limit": 10_000}), ("search", {"query": "x"})]
)
@pytest.mark.variants(1)
def test_tools_for_a_folder_take_linear_time(world: World, tool: str, args: dict[str, Any]) -> None:
    def work(size: int) -> Callable[[], object]:
        for number in range(size):
            world.put(f"project/{size}/{number}/a.txt", "x\n")
        return partial(outcome, world, tool, {"path": str(size), **args})

    assert_linear(work, 800)


def test_run_command_takes_linear_time(world: World) -> None:
    def work(size: int) -> Callable[[], object]:
        return partial(outcome, world, "run_command", {"argv": ["head", "-c", str(size), "/dev/zero"]})

    assert_linear(work, 16_000_000)


def test_recall_memory_takes_linear_time_in_the_notes(tmp_path: Path) -> None:
    def work(size: int) -> Callable[[], object]:
        folder = tmp_path / str(size)
        for number in range(size):
            MemoryWriter(folder).write(f"{number}.md", f"note {number} " * 20)
        return partial(Memories(folder).recall, "note", 5)

    assert_linear(work, 400)


def test_recall_memory_takes_linear_time_in_words_of_notes_and_query() -> None:
    def work(size: int) -> Callable[[], object]:
        words = [f"w{number}" for number in range(size)]
        texts = [" ".join(words[place : place + 50]) for place in range(0, size, 50)]
        return partial(best, " ".join(words), texts, 5)

    assert_linear(work, 16_000)


def test_load_skill_takes_linear_time(tmp_path: Path) -> None:
    def work(size: int) -> Callable[[], object]:
        for number in range(size):
            folder = tmp_path / str(size) / f"skill-{number}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "SKILL.md").write_text("x")
        skills = Skills(tmp_path / str(size))

        def load() -> None:
            with pytest.raises(CallFailed):
                skills.load("skills-" * size)

        return load

    assert_linear(work, 800)
