"""list_dir."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.unit.toolsets.code.world import World


def listed(world: World, **args: Any) -> list[tuple[str, str]]:
    return [(entry.path, entry.kind) for entry in world.call("list_dir", **args).entries]


@pytest.fixture
def tree(world: World) -> World:
    for path in ("b/c/deep.txt", "b/file.txt", "a.txt"):
        world.put(f"project/{path}")
    (world.project / "link").symlink_to("b")
    os.mkfifo(world.project / "pipe")
    world.put("outside/x/y")
    return world


def test_reg_44_a_listing_contains_names_and_kinds(tree: World) -> None:
    assert listed(tree) == [("a.txt", "file"), ("b", "dir"), ("link", "link"), ("pipe", "other")]


def test_reg_44_a_recursive_listing_does_not_follow_links(tree: World) -> None:
    paths = [path for path, _ in listed(tree, recursive=True)]
    assert paths == ["a.txt", "b", "b/c", "b/c/deep.txt", "b/file.txt", "link", "pipe"]


@pytest.mark.parametrize("limit", [1, 3, 4, 5])
def test_reg_44_a_limit_is_applied_and_reported(tree: World, limit: int) -> None:
    result = tree.call("list_dir", limit=limit)
    assert (len(result.entries), result.truncated) == (min(limit, 4), limit < 4)


def test_reg_44_folders_outside_of_the_project_can_be_listed(tree: World) -> None:
    assert listed(tree, path="../outside", recursive=True) == [("../outside/x", "dir"), ("../outside/x/y", "file")]


@pytest.mark.parametrize(
    ("path", "shown"),
    [("b", "b/c"), ("b/", "b/c"), ("./b", "./b/c"), ("link", "link/c"), ("{top}/project/b", "{top}/project/b/c")],
)
def test_paths_can_be_used_in_the_next_call(tree: World, path: str, shown: str) -> None:
    path, shown = (text.replace("{top}", str(tree.top)) for text in (path, shown))
    assert listed(tree, path=path)[0] == (shown, "dir")
    assert listed(tree, path=shown)[0][0] == f"{shown}/deep.txt"


def test_reg_44_sensitive_folders_need_a_grant(tree: World) -> None:
    tree.put("home/.ssh/id")
    assert tree.code("list_dir", path="~/.ssh") == "sensitive_path"
    assert ("~/.ssh/id", "file") not in listed(tree, path="~", recursive=True)
    tree.granted.append(str(tree.home / ".ssh"))
    assert listed(tree, path="~/.ssh") == [("~/.ssh/id", "file")]
    assert ("~/.ssh/id", "file") in listed(tree, path="~", recursive=True)


def test_anything_but_a_folder_is_refused(tree: World) -> None:
    codes = [tree.code("list_dir", path=path) for path in ("a.txt", "a.txt/x", "pipe", "missing")]
    assert codes == ["not_a_folder", "file_not_found", "not_a_folder", "file_not_found"]


def test_names_that_are_not_text_are_escaped(world: World) -> None:
    (world.project / os.fsdecode(b"caf\xe9")).write_text("")
    assert listed(world) == [("caf\\xe9", "file")]


def test_deep_folders_are_listed_completely(world: World) -> None:
    deepest = world.project.joinpath(*["d"] * 250)
    deepest.mkdir(parents=True)
    assert len(listed(world, recursive=True, limit=1000)) == 250
