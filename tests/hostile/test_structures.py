"""Specs that are hostile by their structure: too deep, too wide, endless. The outcome is a diagnostic or a package."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.hostile.building import compiled, toolset

if TYPE_CHECKING:
    from collections.abc import Callable

DEPTHS: Final = [10, 60, 190, 250, 3_000, 100_000]
STEPS: Final = 100


def codes(*, profile: str = "full", **files: Any) -> set[str]:
    """The codes of the errors in files, which are data, or text in YAML. Without errors, the package is made, too."""
    found = compiled(
        {f"{name}.{'yaml' if isinstance(file, str) else 'json'}": file for name, file in files.items()}, profile=profile
    )
    if not found.errors:
        for path, text in found.package().items():
            if path.endswith(".py"):
                compile(text, path, "exec")
    return {error.code for error in found.errors}


def shop(schema: Any, **types: Any) -> dict[str, Any]:
    """A toolset with a schema for a field of the args and for the result."""
    args = {"type": "object", "properties": {"x": schema}}
    return toolset("shop", {"args": args, "result": schema}, **({"types": types} if types else {}))


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/types/{name}"}


def chain(step: Callable[[dict[str, str]], Any]) -> dict[str, Any]:
    """Types of which each is made from a reference to the next."""
    return {f"A{number}": step(ref(f"A{number + 1}")) for number in range(STEPS)} | {f"A{STEPS}": {"type": "string"}}


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(
    ("before", "after"),
    [("[", "]"), ('{"a":', "}"), ("- ", ""), ("[{", "}]"), ("? ", ""), ("&a [", "]"), ("!!x [", "]")],
)
def test_text_that_nests_deeply(depth: int, before: str, after: str) -> None:
    text = f"toolgen: 1\ntoolset: shop\ntools:\n {before * depth}1{after * depth}\n"
    assert codes(a=text)


@pytest.mark.parametrize("depth", DEPTHS[:4])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"type":"object","properties":{"a":', "}}"),
        ('{"type":"array","items":', "}"),
        ('{"anyOf":[{"type":"null"},', "]}"),
        ('{"allOf":[', "]}"),
        ('{"not":', "}"),
        ('{"if":', "}"),
        ('{"$defs":{"a":', "}}"),
        ('{"a":', "}"),
        ("[", "]"),
    ],
)
def test_schemas_that_nest_deeply(depth: int, before: str, after: str) -> None:
    text = json.dumps(shop("HERE")).replace('"HERE"', f'{before * depth}{{"type":"string"}}{after * depth}')
    found = codes(a=text)
    assert found <= {"TG005", "TG205", "TG207", "TG212", "TG213", "TG202", "TG201"}
    assert found or depth <= 190


@pytest.mark.parametrize("depth", [20, 190])
@pytest.mark.parametrize("key", ["default", "const", "examples", "x-note", "enum"])
def test_data_that_nests_deeply(depth: int, key: str) -> None:
    value: Any = "end"
    for _ in range(depth):
        value = {"a": [value]} if key == "x-note" else [value]
    codes(a=shop({key: [value]}))


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"{new}: &{new} [{f'*{old}, ' * 9}]\n" for old, new in pairwise("abcdefghi")),
        "a: &a {x: *a}\n",
        "a: &a [*a]\n",
        "a: &a {<<: *a}\n",
        f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 10_000)}]\n",
        "<<: [&a {x: 1}, *a, *a]\n",
        "? &a [*a]\n: 1\n",
        "*nothing: 1\n",
        "&a &b a: 1\n",
    ],
    ids=["laughs", "own mapping", "own list", "own merge", "long text", "merges", "own key", "unknown", "two anchors"],
)  # fmt: skip
def test_aliases_that_explode(text: str) -> None:
    assert codes(a=f"toolgen: 1\ntoolset: shop\n{text}")


REFERENCES: Final[dict[str, tuple[Any, dict[str, Any]]]] = {
    "itself": ({"$ref": "#"}, {}),
    "a type of itself": ("A", {"A": ref("A")}),
    "types of each other": ("A", {"A": ref("B"), "B": ref("A")}),
    "short forms of each other": ("A", {"A": "B", "B": "A"}),
    "required of itself": ("A", {"A": {"type": "object", "properties": {"a": ref("A")}, "required": ["a"]}}),
    "all of itself": ("A", {"A": {"allOf": [ref("A"), {"type": "object"}]}}),
    "any of itself": ("A", {"A": {"anyOf": [ref("A"), {"type": "null"}]}}),
    "not itself": ("A", {"A": {"not": ref("A")}}),
    "lists of itself": ("A", {"A": {"type": "array", "items": ref("A")}}),
    "dynamic": ({"$dynamicAnchor": "a", "allOf": [{"$dynamicRef": "#a"}]}, {}),
    "through an id": ({"$id": "http://a/b", "$defs": {"c": {"$id": "http://a/c", "$ref": "b"}}, "$ref": "c"}, {}),
    "two of one id": ({"allOf": [{"$id": "http://a/b"}, {"$id": "http://a/b", "type": "null"}]}, {}),
    "a ring": ("A0", {f"A{step}": ref(f"A{(step + 1) % STEPS}") for step in range(STEPS)}),
    "a chain": ("A0", chain(lambda after: after)),
    "doubling": ("A0", chain(lambda after: {"allOf": [after, after]})),
    "doubling choices": ("A0", chain(lambda after: {"anyOf": [after, {"type": "array", "items": after}]})),
}


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("profile", ["full", "core"])
def test_references_that_never_end(name: str, profile: str) -> None:
    schema, types = REFERENCES[name]
    codes(profile=profile, a=shop(schema, **types))


def test_files_that_refer_to_each_other() -> None:
    one = toolset("one", {}, types={"Thing": {"$ref": "other.json#/types/Thing"}})
    other = toolset("other", {}, types={"Thing": {"$ref": "one.json#/types/Thing"}})
    assert codes(one=one, other=other) == {"TG204"}


WIDE = {
    "properties": {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(3_000)}},
    "required": {"type": "object", "required": [f"p{number}" for number in range(3_000)]},
    "enum": {"enum": [f"v{number}" for number in range(10_000)]},
    "anyOf": {"anyOf": [{"const": number} for number in range(1_000)]},
    "unknown keywords": {"type": "string", **{f"x{number}": number for number in range(1_000)}},
    "$defs": {"$defs": {f"d{number}": {"type": "string"} for number in range(3_000)}, "type": "string"},
    "numbers": {"enum": [10**4000, -(10**4000), 1e308, 5e-324]},
    "pattern": {"type": "string", "pattern": "(" * 500 + "a" + ")" * 500},
    "slow pattern": {"type": "string", "pattern": "(a+)+$", "default": "a" * 60 + "!"},
    "repeats": {"type": "string", "pattern": "((a{1,1000}){1,1000}){1,1000}"},
    "bounds": {"type": "string", "minLength": 10**30, "maxLength": -1},
}


@pytest.mark.parametrize("name", WIDE)
def test_schemas_that_are_wide(name: str) -> None:
    codes(a=shop(WIDE[name]))


def test_files_that_are_wide() -> None:
    assert codes(a={"toolgen": 1, "toolset": "shop", **dict.fromkeys(map(str, range(5_000)), 1)})
    assert not codes(a=toolset("shop", {}, types={f"T{number}": {"a": "string"} for number in range(500)}))
    assert codes(a="toolgen: 1\ntoolset: shop\n" + "tools: {}\n" * 5_000) == {"TG004"}
