"""Derived data by tool: what a change makes anew, and that parts of a cache are put together in the order of tools."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.compiler.cache.derived import derived_parts
from toolgen.compiler.project.cache import Cache, open_cache

if TYPE_CHECKING:
    from pathlib import Path


def tool(description: str) -> dict[str, Any]:
    args = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    return {"description": description, "permission": "readonly", "args": args, "result": {"type": "integer"}}


def tools(count: int) -> dict[str, Any]:
    return {f"shop.tool_{number}": tool(f"Find order {number}.") for number in range(count)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    return tmp_path


def groups(known: dict[str, Any], size: int) -> list[list[str]]:
    idents = list(known)
    return [idents[start : start + size] for start in range(0, len(idents), size)]


@pytest.mark.parametrize("count", [1, 31, 32, 100, 1_000])
def test_one_changed_tool_makes_only_those_anew_that_share_its_entry(folder: Path, count: int) -> None:
    known = tools(count)
    derived_parts(known, groups(known, 32), open_cache(folder), "s")
    changed = {**known, "shop.tool_0": tool("Find an order.")}
    cache = open_cache(folder)

    assert derived_parts(changed, groups(known, 32), cache, "s") == derived_parts(changed, [], Cache(), "s")
    assert cache.misses["derived"] == 1
    assert cache.hits["derived"] == (count - 1) // 32


def test_other_settings_find_nothing(folder: Path) -> None:
    derived_parts(tools(3), [], open_cache(folder), "s")
    cache = open_cache(folder)

    derived_parts(tools(3), [], cache, "t")

    assert not cache.hits["derived"]


def test_parts_are_put_together_in_the_order_of_tools(folder: Path) -> None:
    mixed = list(tools(200).items())
    random.Random(0).shuffle(mixed)
    some = groups(dict(mixed[:150]), 40)
    cache = open_cache(folder)

    for _ in range(2):
        words, types = derived_parts(dict(mixed), [*some, ["shop.another"]], cache, "s")
        assert [each.key for each in words] == [ident for ident, _ in mixed]
        assert types.keys() == dict(mixed).keys()
    assert cache.hits["derived"] == cache.misses["derived"] == 5
