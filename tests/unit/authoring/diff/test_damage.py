"""A package whose `catalog.json` is damaged anywhere is an error that says so, or is compared as it is."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.later import later
from toolgen.authoring.diff.compare import compare_sides
from toolgen.authoring.diff.git import DiffError
from toolgen.authoring.diff.sides import damage_of, other_side, working_tree
from toolgen.compiler.project.config import load_config
from toolgen.schema.json_values import compact_json

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[4]
_ODD: Final[tuple[Any, ...]] = (None, 5, -1.5, "x", "", [], {}, True, [1], [None], [[]], {"a": 1})
_SECTIONS: Final = ("toolsets", "tools", "wire_names", "agents", "catalogs", "policies", "tags")
_ROUNDS: Final = 40


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every value, without those within schemas, which any JSON is."""
    if path:
        yield path
    if len(path) == 3 and path[2] in ("args", "result"):
        return
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def kind_of(path: tuple[str | int, ...]) -> tuple[object, ...]:
    """Return what is alike in paths: all tools have one kind of description."""
    return (path[0], len(path), *(key for key in path[2:] if isinstance(key, str)))


def damaged(document: dict[str, Any], path: tuple[str | int, ...], moments: random.Random) -> str:
    """Delete or replace a value; return the text, with lines as the compiler writes them."""
    parent: Any = document
    for key in path[:-1]:
        parent = parent[key]
    if isinstance(parent, dict) and moments.random() < 0.3:
        del parent[path[-1]]
    else:
        parent[path[-1]] = moments.choice(_ODD)
    written: list[str] = []
    for name, value in document.items():
        text = compact_json(value)
        if name in _SECTIONS and isinstance(value, dict) and value:
            between = ":\n" if name == "tools" else ": "
            entries = (f"{compact_json(key)}{between}{compact_json(entry)}" for key, entry in sorted(value.items()))
            text = "{\n" + ",\n".join(entries) + "\n}"
        written.append(f"{compact_json(name)}: {text}")
    return "{\n" + ",\n".join(written) + "\n}\n"


@pytest.mark.parametrize("seed", [0, *later(range(1, 60))])
def test_a_package_that_is_damaged_anywhere_is_compared_or_refused(seed: int, tmp_path: Path) -> None:
    moments = random.Random(seed)
    config = load_config(ROOT)
    now = working_tree(config)
    package = tmp_path / "generated"
    shutil.copytree(ROOT / "generated", package, ignore=shutil.ignore_patterns("*.py"))
    text = (package / "catalog.json").read_text()
    kinds: dict[tuple[object, ...], list[tuple[str | int, ...]]] = {}
    for path in places(json.loads(text)):
        kinds.setdefault(kind_of(path), []).append(path)
    refused: list[str] = []
    for _ in range(_ROUNDS):
        path = moments.choice(kinds[moments.choice(list(kinds))])
        (package / "catalog.json").write_text(damaged(json.loads(text), path, moments))
        try:
            with other_side(config, str(package)) as side:
                compare_sides(side, now)
        except DiffError as error:
            refused.append(str(error))
    assert 0 < len(refused) < _ROUNDS, "some damage has no meaning, and some cannot be read"
    assert [each for each in refused if "generated" not in each or ": " not in each] == []


def test_a_package_that_is_not_damaged_is_not_refused() -> None:
    for each in (ROOT / "generated/catalog.json", *ROOT.glob("tests/**/catalog.json")):
        assert damage_of(each.read_bytes()) == "", each


def test_damage_is_told_with_its_place() -> None:
    document = json.loads((ROOT / "generated/catalog.json").read_text())
    del document["toolsets"]["agent"]
    document["tools"] = {"agent.cancel": document["tools"]["agent.dispatch_worker"]}
    assert damage_of(json.dumps(document).encode()) == "at `/tools/agent.cancel`: there is no such toolset"
    document = json.loads((ROOT / "generated/catalog.json").read_text())
    del document["catalogs"]["universal"]["categories"][0]["description"]
    found = damage_of(json.dumps(document).encode())
    assert found == 'at `/catalogs/universal/categories/0`: "description" is a required property'


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("catalogs", "universal", "categories", 0, "formerly"), [""]),
        (("catalogs", "universal", "categories", 0, "formerly"), ["a__b"]),
        (("catalogs", "universal", "categories", 0, "actions"), {"": {"target": "x"}}),
        (("tools", "agent.create_sub_agent", "access", "more"), 5),
        (("tools", "agent.create_sub_agent", "access", "scope"), 5),
    ],
)
def test_names_and_keys_that_nothing_could_read_are_damage(path: tuple[str | int, ...], value: object) -> None:
    document = json.loads((ROOT / "generated/catalog.json").read_text())
    place: Any = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert damage_of(json.dumps(document).encode()).startswith(f"at `/{path[0]}/{path[1]}")
