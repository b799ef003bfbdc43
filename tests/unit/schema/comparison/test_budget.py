"""Comparisons, and the texts of patterns, take no more steps than their bounds, whatever a schema asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.work import at_most_calls
from toolgen.changes.drift import CompiledTool, compare_tool
from toolgen.schema.comparison import patterns, solver
from toolgen.schema.comparison.compare import Verdict, compare

Schema = dict[str, Any]
STEPS: Final = 20_000
SIZE: Final = 150


def required(name: str) -> Schema:
    return {"type": "object", "required": [name]}


def excluded(size: int, keyword: str, schema: Callable[[int], Any], beside: Schema) -> Schema:
    """Return a schema with many constraints of one kind that each must fail."""
    return {**beside, "allOf": [{"not": {keyword: schema(number)}} for number in range(size)]}


PROPERTIES: Final[Schema] = {"type": "object", "properties": {f"p{number}": {} for number in range(8)}}
REQUIRED: Final[Schema] = {"type": "object", "required": [f"p{number}" for number in range(8)]}
ITEMS: Final[Schema] = {"type": "array", "minItems": 8, "prefixItems": [{"type": "string"}] * 6}

FAMILIES: Final[dict[str, Callable[[int], Schema]]] = {
    "others fail": lambda size: excluded(size, "additionalProperties", lambda each: {"enum": [each]}, PROPERTIES),
    "patterns fail": lambda size: excluded(size, "patternProperties", lambda each: {"p": {"enum": [each]}}, REQUIRED),
    "names fail": lambda size: excluded(size, "propertyNames", lambda each: {"minLength": each + 1}, REQUIRED),
    "items fail": lambda size: excluded(size, "items", lambda each: {"enum": [each, "a"]}, ITEMS),
    "first items fail": lambda size: excluded(
        size, "prefixItems", lambda each: [{"enum": [each, number]} for number in range(6)], ITEMS
    ),
    "one of values": lambda size: {"oneOf": [{"const": each} for each in range(size)]},
    "one of objects": lambda size: {"oneOf": [required(f"k{each}") for each in range(size)]},
    "any of objects": lambda size: {"anyOf": [required(f"k{each}") for each in range(size)]},
    "dependencies": lambda size: {"dependentRequired": {f"k{each}": [f"k{each + 1}"] for each in range(size)}},
    "conditions": lambda size: {
        "allOf": [{"if": required(f"k{each}"), "then": required(f"k{each + 1}")} for each in range(size)]
    },
    "names": lambda size: {"propertyNames": {"enum": [f"k{each}" for each in range(size)]}},
    "patterns": lambda size: {"type": "string", "allOf": [{"pattern": f"a{{{each}}}.*b"} for each in range(size)]},
    "numbers": lambda size: {"allOf": [{"not": {"enum": [each, each + 0.5]}} for each in range(size)]},
}


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.variants(5)
def test_a_comparison_takes_no_more_than_its_steps(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "MOST_STEPS", STEPS)
    monkeypatch.setattr(patterns, "_MOST_STEPS", STEPS)
    before = FAMILIES[name](SIZE)
    after = {"allOf": [FAMILIES[name](SIZE + 1), {"maxProperties": 5, "maxItems": 9, "maxLength": 99}]}
    with at_most_calls(50 * STEPS):
        compare(before, after)


def test_the_places_of_a_recursive_schema_are_kept_once() -> None:
    """They doubled at each of forty levels, until the memory ended."""
    text: Schema = {"type": "string", "minLength": 1}
    closed: Schema = {"type": "object", "additionalProperties": False, "patternProperties": {"b$": {"const": "a"}},
                      "dependentSchemas": {"b": {"type": ["integer", "null"]}}}  # fmt: skip
    tree: Schema = {"properties": {"a": {"$ref": "#"}, "b": text}}
    before = {"oneOf": [tree, {"type": "string", "minLength": 2, "pattern": "^a"}, closed]}
    after = {"oneOf": [*before["oneOf"][:2], {**closed, "patternProperties": {"b$": {"enum": ["a"]}}}]}
    with at_most_calls(100_000):
        assert compare(before, after).lost.verdict is Verdict.NONE
    for minimum in (3, 4):
        other = {"oneOf": [tree, {"type": "string", "minLength": minimum}, closed]}
        with at_most_calls(3_000_000):
            compare(before, other)


@pytest.mark.parametrize("size", [60, 90])
@pytest.mark.variants(1)
def test_unions_of_many_kinds_are_decided(size: int) -> None:
    kinds: Schema = {f"d{each}": {**required("kind"), "properties": {"kind": {"const": each}}} for each in range(size)}
    before: Schema = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in kinds], "$defs": kinds}
    after: Schema = {**before, "$defs": {**kinds, "d3": {**kinds["d3"], "maxProperties": 1}}}
    found = compare(before, after)
    assert (found.lost.verdict, found.gained.verdict) == (Verdict.FOUND, Verdict.NONE)
    assert found.lost.counterexample is not None
    assert found.lost.counterexample.value["kind"] == 3


HOSTILE: Final[dict[str, tuple[str, ...]]] = {
    "many states": tuple(f"a{{{number}}}.*b" for number in range(900)),
    "many sets of characters": tuple("".join(f"[^{chr(0x4E00 + 7 * each + number)}]" for each in range(900))
                                     for number in range(3)),
    "sets of many ranges": tuple("[" + "".join(chr(0x4E00 + 2 * each + number) for each in range(2_000)) + "]"
                                 for number in range(9)),
    "states at once": ("(?:.{0,30}a){30}", "(?:.{0,30}b){30}", "(?:.{0,29}c){30}"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.variants(2)
def test_texts_of_patterns_take_no_more_than_their_steps(name: str) -> None:
    patterns.automaton_of.cache_clear()
    with at_most_calls(6_000_000):
        found = patterns.texts_of(HOSTILE[name])
    assert not found.is_none


WIDE: Final[dict[str, Schema]] = {
    "open": {},
    "closed": {"additionalProperties": False},
    "with patterns": {"patternProperties": {"^p": {"minLength": 1}}},
    "with names": {"propertyNames": {"pattern": "^p"}},
    "with a size": {"minProperties": 3},
    "required": {"required": ["p0", "p1"]},
}


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("size", [250, 1_000])
@pytest.mark.variants(3)
def test_objects_of_many_changed_fields_take_linear_work(name: str, size: int) -> None:
    """Each field was compared by looking at all others again."""

    def args(kinds: Any) -> Schema:
        fields = {f"p{number}": {"type": kinds} for number in range(size)}
        return {"type": "object", "properties": {"x": {"type": "object", "properties": fields, **WIDE[name]}}}

    with at_most_calls(3_000 * size):
        found = compare(args("string"), args(["string", "null"]))
        tool = CompiledTool(name="t", args=args("string"))
        changes = list(compare_tool(tool, {"name": "t", "inputSchema": args(["string", "null"])}))
    assert (found.lost.verdict, found.gained.verdict) == (Verdict.NONE, Verdict.FOUND)
    assert "WIRE208" in {change.code for change in changes}
