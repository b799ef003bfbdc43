"""Sides are compiled with the cache of the project, and are what they are without it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import yaml

from toolgen.authoring.diff.compare import compare_sides
from toolgen.authoring.diff.sides import other_side, working_tree
from toolgen.compiler.cache import toolsets
from toolgen.compiler.project.cache import open_cache
from toolgen.compiler.project.config import load_config

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def write(project: Path, description: str) -> None:
    (project / "specs").mkdir(parents=True, exist_ok=True)
    (project / "toolgen.toml").write_text("[[targets]]\n", encoding="utf-8")
    tools = {f"find_{number}": {"description": "Finds it.", "args": {"name": "string"}} for number in range(9)}
    tools["find_4"] = {"description": description, "args": {"name": "integer"}}
    spec = {"toolgen": 1, "toolset": "shop", "tools": tools}
    (project / "specs" / "shop.yaml").write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")


def test_only_what_changed_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(toolsets, "_SMALL", 1)  # so that a file of nine tools is divided, into a head and pieces
    monkeypatch.setattr(toolsets, "_TOGETHER", 2)
    project = tmp_path / "project"
    write(project, "Finds one.")
    config = load_config(project)
    cache = open_cache(project)
    working_tree(config, cache)
    pieces = cache.misses["toolset"]
    shutil.copytree(project, tmp_path / "before")
    write(project, "Finds another one.")
    cache = open_cache(project)
    with other_side(config, "../before", cache) as before:
        found = compare_sides(before, working_tree(config, cache))
    with other_side(config, "../before") as before:
        cold = compare_sides(before, working_tree(config))

    assert pieces > 3
    assert (cache.hits["toolset"], cache.misses["toolset"]) == (2 * pieces - 1, 1)
    assert [(each.change, each.before, each.after) for each in found.changes] == [
        (each.change, each.before, each.after) for each in cold.changes
    ]
    assert [each.change.code for each in found.changes] == ["MODEL102"]
