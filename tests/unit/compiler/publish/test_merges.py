"""The effect of a change to one tool in a committed package of 100, and merges of two branches."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.unit.compiler.publish.repository import TOOL, Repository, tool
from toolgen.compiler.publish.drift import Cause

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
    pytest.mark.xdist_group("merges"),
]

FOLDER = "shop/tools/many"


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return Repository.make(tmp_path_factory.mktemp("repository"), 100)


@pytest.fixture
def repository(first: Repository, tmp_path: Path) -> Repository:
    """Return a repository with 100 tools and one commit."""
    return Repository(shutil.copytree(first.folder, tmp_path / "repository"))


def described(number: int, words: str = "in other words") -> tuple[str, str]:
    """Change one description."""
    before = f"    description: Does what {tool(number)} does.\n"
    return before, before.replace(".\n", f", {words}.\n")


def with_field(number: int) -> tuple[str, str]:
    """Change the args of one tool."""
    before = TOOL.format(name=tool(number))
    return before, before.replace("    result:", "      note?: {type: string, description: Why.}\n    result:")


def with_tool(after: int, name: str) -> tuple[str, str]:
    """Add a tool after another."""
    before = TOOL.format(name=tool(after))
    return before, before + TOOL.format(name=name)


OWN = {"TOOLS.md", "catalog.json", "toolgen.lock", f"{FOLDER}/tool_050.py"}
"""The files that contain the description and the args of `tool_050`."""


@pytest.mark.parametrize(
    ("change", "files", "most"),
    [
        (described(50), OWN, 10),
        (with_field(50), OWN, 11),
        (
            with_tool(50, "tool_050b"),
            {
                *(path.replace("tool_050", "tool_050b") for path in OWN),
                f"{FOLDER}/__init__.py",
            },
            68,
        ),
    ],
    ids=["description", "field", "tool"],
)
@pytest.mark.variants(1)
def test_a_change_of_one_tool_changes_its_own_lines(
    repository: Repository, change: tuple[str, str], files: set[str], most: int
) -> None:
    repository.replace(*change)
    repository.commit()

    changed = repository.changed_lines()
    assert changed.keys() == files
    assert sum(changed.values()) <= most, changed
    others = repository.git("diff", "--unified=0", "HEAD^", "--", "generated/catalog.json", "generated/TOOLS.md")
    lines = [line for line in others.splitlines() if line[:1] in "+-" and "tool_0" in line]
    assert all("tool_050" in line for line in lines)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (described(50), described(51)),
        (described(50), with_field(51)),
        (with_field(10), with_field(90)),
        (with_tool(10, "tool_010b"), with_tool(90, "tool_090b")),
        (with_tool(10, "tool_010b"), described(50)),
    ],
    ids=["neighbours", "a field of a neighbour", "fields", "tools", "a tool and a description"],
)
@pytest.mark.variants(2)
def test_branches_that_touch_different_tools_merge_without_conflicts(
    repository: Repository, ours: tuple[str, str], theirs: tuple[str, str]
) -> None:
    for name, change in (("ours", ours), ("theirs", theirs)):
        with repository.branch(name):
            repository.replace(*change)

    assert repository.merge("ours", "theirs") == []

    merged = dict(repository.files())
    built, reported = repository.built()
    assert built.published, reported
    assert {*built.published.written} <= {"toolgen.lock"}
    assert repository.checked().changes == ()
    both_add = "tool_0" in ours[1].removeprefix(ours[0]) and "tool_0" in theirs[1].removeprefix(theirs[0])
    assert both_add or repository.files() == merged, "the merged lock equals that of a build"


def test_a_build_over_conflicts_regenerates_everything(repository: Repository) -> None:
    for name in ("ours", "theirs"):
        with repository.branch(name):
            repository.replace(*with_tool(50, f"tool_050{name}"))
            repository.replace(*described(20, f"says {name}"))
            repository.replace(*described(70 if name == "ours" else 80))
    conflicting = repository.merge("ours", "theirs")
    assert {"specs/many.yaml", "generated/catalog.json", f"generated/{FOLDER}/__init__.py"} <= {*conflicting}
    assert "generated/toolgen.lock" not in conflicting

    repository.git("checkout", "--theirs", "specs/many.yaml")
    built, reported = repository.built()

    assert built.published, reported
    assert repository.checked().changes == ()
    assert not any(b"<<<<<<< " in content for content in repository.files().values())


def test_without_attributes_a_lock_with_conflict_markers_is_read_as_both(tmp_path: Path) -> None:
    repository = Repository.make(tmp_path, 3, attributes="")
    for name in ("ours", "theirs"):
        with repository.branch(name):
            repository.replace(*described(1, f"says {name}"))
    assert "generated/toolgen.lock" in repository.merge("ours", "theirs")

    repository.git("checkout", "--ours", "specs/many.yaml")
    assert repository.built()[0].published
    assert repository.checked().changes == ()


@pytest.mark.parametrize("chosen", ["ours", "theirs"])
def test_a_lock_from_the_other_branch_is_regenerated(tmp_path: Path, chosen: str) -> None:
    repository = Repository.make(tmp_path, 3)
    with repository.branch("theirs"):
        repository.replace(*described(1))
    repository.replace(*described(2))
    repository.commit()
    if chosen == "theirs":
        repository.git("checkout", "theirs", "--", "generated/toolgen.lock")
    else:
        repository.git("checkout", "theirs", "--", "specs")

    made, reported = repository.built()

    assert made.published, reported
    assert repository.checked().changes == ()


def test_a_manual_edit_beside_a_conflict_is_still_reported(tmp_path: Path) -> None:
    repository = Repository.make(tmp_path, 9)
    for name in ("ours", "theirs"):
        with repository.branch(name):
            repository.replace(*described(4, f"says {name}"))
    repository.merge("ours", "theirs")
    repository.git("checkout", "--ours", "specs/many.yaml")
    module = repository.package / FOLDER / "tool_004.py"
    text = module.read_text(encoding="utf-8")
    assert "<<<<<<< " in text
    module.write_text(text.replace("def new_tool_004_call(", "def new_tool_004_call(  # mine\n"), encoding="utf-8")

    made, reported = repository.built()

    assert made.published is None
    assert reported == [f"TG602 generated/{FOLDER}/tool_004.py was edited by hand"]


def test_a_merge_built_after_another_change_is_not_a_manual_edit(tmp_path: Path) -> None:
    repository = Repository.make(tmp_path, 9)
    for name, number in (("ours", 2), ("theirs", 6)):
        with repository.branch(name):
            repository.replace(*described(number))
    assert repository.merge("ours", "theirs") == []
    repository.replace(*described(4))

    made, reported = repository.built()

    assert made.published, reported
    assert repository.checked().changes == ()


def test_a_check_after_a_merge_names_it_as_the_cause(repository: Repository) -> None:
    for name, change in (("ours", with_tool(10, "tool_010b")), ("theirs", with_tool(90, "tool_090b"))):
        with repository.branch(name):
            repository.replace(*change)
    assert repository.merge("ours", "theirs") == []
    assert {change.causes for change in repository.checked().changes or ()} == {(Cause.MERGED,)}


def test_a_check_names_conflicts_as_the_cause(repository: Repository) -> None:
    for name, change in (("ours", described(50, "or so")), ("theirs", described(50, "at least"))):
        with repository.branch(name):
            repository.replace(*change)
    assert repository.merge("ours", "theirs")
    repository.git("checkout", "--ours", "specs")
    changes = repository.checked().changes or ()
    assert changes
    assert {change.causes for change in changes} == {(Cause.MERGED,)}
