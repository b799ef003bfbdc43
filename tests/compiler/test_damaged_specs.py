"""Specs of all cases, damaged at random: the outcome is a diagnostic, or a package that parses; never a traceback."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.case import all_cases
from tests.compiler.specs import resolved
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.emit import emit
from toolgen.compiler.source.read import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.case import Case

Path = tuple[str | int, ...]

VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 10**30, "", "x", "string", "Thing", "a.b", "a__b", "*", "+x", "..", "\u202e"),
    *("{{args.x}}", "$args", "$entry", "#", "draft-04", "mcp", "agent", "command"),
    *([], [[]], [{}], ["string"], {}, {"": ""}, {"a": None}),
    *({"type": "string"}, {"type": "object"}, {"enum": []}, {"const": None}, {"not": {}}, {"anyOf": []}),
    *({"$ref": "#"}, {"$ref": "#/types/X"}, {"$ref": "#/$defs/a"}, {"$ref": 1, "$defs": []}, {"$id": "x", "$ref": "#"}),
    {"type": ["object", "null"], "properties": {"x": True}},
    {"type": "object", "properties": {"a": {"$ref": "#"}}},
    {"allOf": [{"$ref": "#"}]},
]  # fmt: skip
KEYS = [
    "x",
    "",
    "a b",
    "x?",
    "x!",
    "$ref",
    "$id",
    "type",
    "properties",
    "required",
    "items",
    "default",
    "from",
    "__class__",
]


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.sampled_from(all_cases()), st.integers(1, 4), st.sampled_from(["full", "core"]))
def test_damage_is_reported_or_makes_a_package_that_parses(
    data: st.DataObject, case: Case, hits: int, profile: str
) -> None:
    damaged = copy.deepcopy(specs(case))
    for _ in range(hits if damaged else 0):
        damage(data, damaged[data.draw(st.sampled_from(sorted(damaged)))])
    found = resolved(profile=profile, **{path: json.dumps(content) for path, content in damaged.items()})
    files = {} if found.has_errors else emit(found.catalog)
    assert [path for path, text in files.items() if path.endswith(".py") and not parses(text)] == []


def parses(text: str) -> bool:
    """Whether a text is Python."""
    try:
        compile(text, "<generated>", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def damage(data: st.DataObject, spec: Any) -> None:
    """Put another value in some place of a spec, or take it out, or rename its key, or repeat another part there."""
    paths = [path for path in paths_of(spec) if path]
    if not paths:
        return
    *way, last = data.draw(st.sampled_from(paths))
    parent = at(spec, way)
    match data.draw(st.sampled_from(["value", "drop", "rename", "repeat"])):
        case "drop":
            del parent[last]
        case "rename" if isinstance(parent, dict):
            parent[data.draw(st.sampled_from(KEYS))] = parent.pop(last)
        case "repeat":
            parent[last] = copy.deepcopy(at(spec, data.draw(st.sampled_from(paths))))
        case _:
            parent[last] = copy.deepcopy(data.draw(st.sampled_from(VALUES)))


def paths_of(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in entries:
        yield from paths_of(inner, (*path, step))


def at(value: Any, path: Any) -> Any:
    for step in path:
        value = value[step]
    return value


@cache
def specs(case: Case) -> dict[str, Any]:
    """What the spec files of a case say, as far as they can be read."""
    found = {}
    for place in sorted((case.folder / "specs").rglob("*")):
        root = parse(place.read_bytes(), place.name, Diagnostics()) if place.is_file() else None
        if root is not None:
            found[place.relative_to(case.folder).as_posix()] = root.to_data()
    return found
