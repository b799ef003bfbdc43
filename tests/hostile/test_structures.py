"""Specs that are hostile by their structure: too deep, too wide, endless. The outcome is a diagnostic or a package."""

from __future__ import annotations

import json
from itertools import pairwise
from time import process_time
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.hostile.building import compiled, toolset

if TYPE_CHECKING:
    from collections.abc import Callable

DEPTHS: Final = [10, 60, 190, 250, 3_000, 100_000]
STEPS: Final = 60


def codes(*, profile: str = "full", **files: Any) -> set[str]:
    """Return the codes of the errors in files, given as data or YAML text.

    Without errors, the package is generated too.
    """
    found = compiled(
        {f"{name}.{'yaml' if isinstance(file, str) else 'json'}": file for name, file in files.items()}, profile=profile
    )
    if not found.errors:
        for path, text in found.package().items():
            if path.endswith(".py"):
                compile(text, path, "exec")
    return {error.code for error in found.errors}


def shop(schema: Any, **types: Any) -> dict[str, Any]:
    """Return a toolset with a schema for a field of the args and for the result."""
    args = {"type": "object", "properties": {"x": schema}}
    return toolset("shop", {"args": args, "result": schema}, **({"types": types} if types else {}))


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/types/{name}"}


def chain(step: Callable[[dict[str, str]], Any]) -> dict[str, Any]:
    """Return types that each refer to the next."""
    return {f"A{number}": step(ref(f"A{number + 1}")) for number in range(STEPS)} | {f"A{STEPS}": {"type": "string"}}


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(
    ("before", "after"),
    [("[", "]"), ('{"a":', "}"), ("- ", ""), ("[{", "}]"), ("? ", ""), ("&a [", "]"), ("!!x [", "]")],
)
def test_deeply_nested_text(depth: int, before: str, after: str) -> None:
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
def test_deeply_nested_schemas(depth: int, before: str, after: str) -> None:
    text = json.dumps(shop("HERE")).replace('"HERE"', f'{before * depth}{{"type":"string"}}{after * depth}')
    found = codes(a=text)
    assert found <= {"TG005", "TG205", "TG207", "TG212", "TG213", "TG202", "TG201"}
    assert found or depth <= 190


@pytest.mark.parametrize("depth", [20, 190])
@pytest.mark.parametrize("key", ["default", "const", "examples", "x-note", "enum"])
def test_deeply_nested_data(depth: int, key: str) -> None:
    value: Any = "end"
    for _ in range(depth):
        value = {"a": [value]} if key == "x-note" else [value]
    is_too_deep = key == "x-note" and depth > 100  # each step adds two levels
    assert codes(a=shop({"$comment": "JSON Schema", key: [value]})) == ({"TG005"} if is_too_deep else set())


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
def test_exponential_aliases(text: str) -> None:
    assert codes(a=f"toolgen: 1\ntoolset: shop\n{text}")


REFERENCES: Final[dict[str, tuple[Any, dict[str, Any], set[str]]]] = {
    "itself": ({"$ref": "#"}, {}, set()),
    "a type of itself": (ref("A"), {"A": ref("A")}, {"TG204"}),
    "types of each other": (ref("A"), {"A": ref("B"), "B": ref("A")}, {"TG204"}),
    "short forms of each other": (ref("A"), {"A": "B", "B": "A"}, set()),
    "required of itself": (
        ref("A"), {"A": {"type": "object", "properties": {"a": ref("A")}, "required": ["a"]}}, set()
    ),
    "all of itself": (ref("A"), {"A": {"allOf": [ref("A"), {"type": "object"}]}}, set()),
    "any of itself": (ref("A"), {"A": {"anyOf": [ref("A"), {"type": "null"}]}}, set()),
    "not itself": (ref("A"), {"A": {"$comment": "JSON Schema", "not": ref("A")}}, set()),
    "lists of itself": (ref("A"), {"A": {"type": "array", "items": ref("A")}}, set()),
    "dynamic": ({"$dynamicAnchor": "a", "allOf": [{"$dynamicRef": "#a"}]}, {}, set()),
    "through an id": (
        {"$id": "http://a/b", "$defs": {"c": {"$id": "http://a/c", "$ref": "b"}}, "$ref": "c"}, {}, set()
    ),
    "two of one id": ({"allOf": [{"$id": "http://a/b"}, {"$id": "http://a/b", "type": "null"}]}, {}, set()),
    "one of two of one id": (
        {"allOf": [{"$id": "http://a/b"}, {"$id": "http://a/b", "type": "null"}, {"$ref": "http://a/b"}]}, {}, {"TG211"}
    ),
    "a ring": (ref("A0"), {f"A{step}": ref(f"A{(step + 1) % STEPS}") for step in range(STEPS)}, {"TG204"}),
    "a chain": (ref("A0"), chain(lambda after: after), set()),
    "doubling": (ref("A0"), chain(lambda after: {"allOf": [after, after]}), {"TG213", "TG216"}),
    "doubling choices": (
        ref("A0"), chain(lambda after: {"anyOf": [after, {"type": "array", "items": after}]}), {"TG213"}
    ),
}  # fmt: skip
"""Schemas, their types, and the codes of the errors in them."""


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.variants(6)
def test_endless_references(name: str) -> None:
    schema, types, errors = REFERENCES[name]
    assert codes(a=shop(schema, **types)) == errors
    assert codes(profile="core", a=shop(schema, **types)) - {"TG210"} == errors


def test_circular_file_references() -> None:
    one = toolset("one", {}, types={"Thing": {"$ref": "other.json#/types/Thing"}})
    other = toolset("other", {}, types={"Thing": {"$ref": "one.json#/types/Thing"}})
    assert codes(one=one, other=other) == {"TG204"}


WIDE: Final[dict[str, tuple[Any, set[str]]]] = {
    "properties": (
        {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(1_000)}},
        set(),
    ),
    "required": ({"type": "object", "required": [f"p{number}" for number in range(1_000)]}, set()),
    "enum": ({"enum": [f"v{number}" for number in range(4_000)]}, set()),
    "anyOf": ({"anyOf": [{"const": number} for number in range(600)]}, set()),
    "unknown keywords": ({"type": "string", **{f"x{number}": number for number in range(1_000)}}, set()),
    "$defs": ({"$defs": {f"d{number}": {"type": "string"} for number in range(1_000)}, "type": "string"}, set()),
    "numbers": ({"enum": [10**4000, -(10**4000), 1e308, 5e-324]}, set()),
    "pattern": ({"type": "string", "pattern": "(" * 500 + "a" + ")" * 500}, {"TG213"}),
    "slow pattern": ({"type": "string", "pattern": "(a+)+$", "default": "a" * 60 + "!"}, set()),
    "repeats": ({"type": "string", "pattern": "((a{1,1000}){1,1000}){1,1000}"}, {"TG213"}),
    "bounds": ({"type": "string", "minLength": 10**30, "maxLength": -1}, {"TG202"}),
}
"""Schemas, and the codes of the errors in them."""


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.variants(4)
def test_wide_schemas(name: str) -> None:
    schema, errors = WIDE[name]
    assert codes(a=shop(schema)) == errors


def test_wide_files() -> None:
    assert codes(a={"toolgen": 1, "toolset": "shop", **dict.fromkeys(map(str, range(2_000)), 1)})
    assert not codes(a=toolset("shop", {}, types={f"T{number}": {"a": "string"} for number in range(500)}))
    assert codes(a="toolgen: 1\ntoolset: shop\n" + "tools: {}\n" * 2_000) == {"TG004"}


_MANY: Final = 4_000


@pytest.mark.parametrize(
    "file",
    [
        toolset("shop", {"args": {}}, types={f"Known{number}": {"x": f"Unknown{number}"} for number in range(_MANY)}),
        toolset("shop", {"tags": [f"u{n}" for n in range(_MANY)]}, tags={f"t{n}": "A tag." for n in range(_MANY)}),
        toolset(
            "shop",
            {"args": {f"a{n}": "string" for n in range(_MANY)}, "access": {"scope": [f"b{n}" for n in range(_MANY)]}},
        ),
        toolset(
            "shop",
            {
                "args": {f"a{n}": "string" for n in range(_MANY)},
                "command": {"exec": ["echo", *(f"{{{{args.b{n}}}}}" for n in range(_MANY))]},
            },
            kind="command",
        ),
    ],
    ids=["types", "tags", "fields", "templates"],
)
def test_many_unknown_names_beside_many_known_ones_are_reported_in_bounded_time_and_text(file: dict[str, Any]) -> None:
    begin = process_time()
    errors = compiled({"shop.json": file}).errors
    assert process_time() - begin < 15
    assert len(errors) >= _MANY
    assert max(len(error.fix) for error in errors) < 1_000
    assert sum("did you mean" in error.fix for error in errors) < 1_000
    assert any("did you mean" in error.fix for error in errors)
