"""The cost of a schema: the counted one compared with the validator."""

from __future__ import annotations

import json
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data.sets import OWN, of_sets, tools_of
from toolgen.schema.bounds import INFINITE, MAX_CHAIN, Bounds, Reach, applied, excess, foreseen
from toolgen.schema.evaluations import evaluations
from toolgen.schema.graph import SchemaGraph

if TYPE_CHECKING:
    from collections.abc import Callable

DRAFT_07 = "http://json-schema.org/draft-07/schema#"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
LEAF: dict[str, Any] = {"not": {}}
"""Refuses every value with one error, so that the errors of a validator count its evaluations."""


def pointers(steps: list[list[int]]) -> dict[str, Any]:
    return document(steps, lambda number: {"$ref": f"#/$defs/S{number}"})


def anchors(steps: list[list[int]]) -> dict[str, Any]:
    return document(steps, lambda number: {"$ref": f"#a{number}"}, lambda number: {"$anchor": f"a{number}"})


def resources(steps: list[list[int]]) -> dict[str, Any]:
    named = document(steps, lambda number: {"$ref": f"s{number}.json"}, lambda number: {"$id": f"s{number}.json"})
    return {"$id": "https://example.com/root.json", **named}


def escaped(steps: list[list[int]]) -> dict[str, Any]:
    made = json.dumps(pointers(steps)).replace("#/$defs/S", "#/$defs/%53~1~0").replace('"S', '"S/~')
    loaded: dict[str, Any] = json.loads(made)
    return loaded


def dynamic(steps: list[list[int]]) -> dict[str, Any]:
    return document(
        steps, lambda number: {"$dynamicRef": f"#a{number}"}, lambda number: {"$dynamicAnchor": f"a{number}"}
    )


def draft_07(steps: list[list[int]]) -> dict[str, Any]:
    made = document(
        steps, lambda number: {"$ref": f"#a{number}", "allOf": [LEAF]}, lambda number: {"$id": f"#a{number}"}
    )
    return {"$schema": DRAFT_07, "allOf": [{"$ref": made["$ref"]}], "definitions": made["$defs"]}


def draft_07_reference(steps: list[list[int]]) -> dict[str, Any]:
    """The root is only a reference, as generators of draft-07 write it."""
    made = document(steps, lambda number: {"$ref": f"#/definitions/S{number}"})
    return {"$schema": DRAFT_07, "$ref": made["$ref"], "definitions": made["$defs"]}


def document(
    steps: list[list[int]],
    refer: Callable[[int], dict[str, Any]],
    name: Callable[[int], dict[str, Any]] = lambda _number: {},
) -> dict[str, Any]:
    """Return schemas that each apply some of the previous ones; the first refuses everything, the last is the root."""
    definitions: dict[str, Any] = {"S0": {**name(0), **LEAF}}
    for number, below in enumerate(steps, 1):
        definitions[f"S{number}"] = {**name(number), "allOf": [refer(each % number) for each in below]}
    return {**refer(len(steps)), "$defs": definitions}


@pytest.mark.parametrize("write", [pointers, anchors, resources, escaped, dynamic, draft_07, draft_07_reference])
@given(steps=st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=3), min_size=1, max_size=6))
def test_a_schema_is_applied_as_often_as_the_validator_applies_it(write: Any, steps: list[list[int]]) -> None:
    schema = write(steps)
    reach = Reach(SchemaGraph(schema))
    times = reach.with_schema(id(schema))
    counted = sum(count for key, count in times.items() if "not" in reach.schemas[key])
    errors = list(jsonschema_rs.validator_for(schema, offline=True).iter_errors(1))
    assert counted == len(errors)
    assert applied(reach).times >= len(errors)
    assert foreseen(reach) >= len(errors)


def part_of(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Draw a schema that applies others in one of the possible ways."""
    return st.one_of(
        *(
            st.lists(inner, min_size=1, max_size=2).map(partial(lambda word, parts: {word: parts}, word))
            for word in LISTS
        ),
        inner.map(lambda part: {"properties": {"a": part}, "additionalProperties": part}),
        inner.map(lambda part: {"patternProperties": {"^[ab]$": part}, "propertyNames": part}),
        inner.map(lambda part: {"items": part, "contains": part}),
        inner.map(lambda part: {"prefixItems": [part], "items": part}),
        inner.map(lambda part: {"if": part, "then": part, "else": part}),
        inner.map(lambda part: {"dependentSchemas": {"a": part}}),
        inner.map(lambda part: {"allOf": [part], "unevaluatedProperties": part, "unevaluatedItems": part}),
    )


LISTS = ("allOf", "anyOf", "oneOf")
PARTS = st.recursive(st.sampled_from([LEAF, {"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]), part_of, max_leaves=3)
VALUES = st.recursive(
    st.integers(0, 1),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)


@given(PARTS, PARTS, PARTS, VALUES)
def test_no_value_has_more_errors_than_counted(root: Any, first: Any, second: Any, value: Any) -> None:
    count_errors(root, first, second, value)


@pytest.mark.long
@settings(max_examples=4000)
@given(PARTS, PARTS, PARTS, VALUES)
def test_no_value_of_many_more_has_more_errors_than_counted(root: Any, first: Any, second: Any, value: Any) -> None:
    count_errors(root, first, second, value)


def count_errors(root: Any, first: Any, second: Any, value: Any) -> None:
    schema = {**root, "$defs": {"A": first, "B": second}}
    if excess(schema):
        return
    reach = Reach(SchemaGraph(schema))
    errors = leaves(jsonschema_rs.validator_for(schema, offline=True).iter_errors(value))
    assert errors <= evaluations(reach, value, most=INFINITE)
    below = foreseen(reach)
    assert below == INFINITE or evaluations(reach, value, most=INFINITE) <= below * 100


def leaves(errors: Any) -> int:
    """Return the number of errors, including those of alternatives."""
    total = 0
    for error in errors:
        context = error.kind.as_dict().get("context", [])
        total += 1 + sum(leaves(branch) for branch in context)
    return total


def lattice(step: Callable[[dict[str, str]], Any], levels: int = 24, leaf: Any = None) -> dict[str, Any]:
    """Return schemas that each contain a reference to the previous one."""
    definitions = {f"T{number}": step({"$ref": f"#/$defs/T{number - 1}"}) for number in range(1, levels + 1)}
    return {"$ref": f"#/$defs/T{levels}", "$defs": {"T0": leaf or {"type": "object"}, **definitions}}


LATTICES: dict[str, Callable[[dict[str, str]], Any]] = {
    "allOf": lambda ref: {"allOf": [ref, ref]},
    "anyOf": lambda ref: {"anyOf": [ref, ref]},
    "oneOf": lambda ref: {"oneOf": [ref, ref]},
    "not": lambda ref: {"not": {"not": ref}, "allOf": [ref]},
    "if": lambda ref: {"if": ref, "then": ref},
    "dependentSchemas": lambda ref: {"dependentSchemas": {"a": ref, "b": ref}},
    "beside": lambda ref: {**ref, "allOf": [ref]},
    "unevaluatedProperties": lambda ref: {"allOf": [ref], "unevaluatedProperties": False},
    "unevaluatedItems": lambda ref: {"anyOf": [ref], "unevaluatedItems": False},
    "fields": lambda ref: {"properties": {"a": {"allOf": [ref, ref]}}},
    "items": lambda ref: {"items": ref, "contains": ref},
}


@pytest.mark.parametrize("step", LATTICES.values(), ids=LATTICES)
def test_a_lattice_beyond_the_limit_is_refused(step: Any) -> None:
    assert excess(lattice(step, 6)) is None
    found = excess(lattice(step))
    assert found is not None
    assert found.is_costly


@pytest.mark.parametrize("count", [2, 3, 8])
def test_schemas_that_all_apply_each_other_are_refused(count: int) -> None:
    definitions = {
        f"T{one}": {"allOf": [{"$ref": f"#/$defs/T{other}"} for other in range(count) if other != one]}
        for one in range(count)
    }
    assert (excess({"$ref": "#/$defs/T0", "$defs": definitions}) is not None) == (count > 2)


T = {"$ref": "#/$defs/T"}


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"allOf": [T, T]}}},
        {"properties": {"a": T}, "allOf": [{"properties": {"a": T}}]},
        {"items": T, "contains": T},
        {"prefixItems": [T], "contains": T},
        {"additionalProperties": T, "allOf": [{"properties": {"a": T}}]},
        {"properties": {"a": {"$ref": "#/$defs/U"}, "b": T}, "$defs": {"U": {"properties": {"b": {"allOf": [T, T]}}}}},
    ],
)
def test_an_exponential_recursion_is_refused(schema: Any) -> None:
    found = excess({**T, "$defs": {"T": schema, **schema.get("$defs", {})}})
    assert found is not None
    assert found.is_costly


def test_an_exponential_dynamic_reference_is_refused() -> None:
    tree = {"$id": "tree", "$dynamicAnchor": "node", "properties": {"a": {"$dynamicRef": "#node"}}}
    strict = {"$dynamicAnchor": "node", "allOf": [{"$ref": "tree"}], "properties": {"a": {"$dynamicRef": "#node"}}}
    assert excess({"$id": "https://example.com/", **strict, "$defs": {"tree": tree}}) is not None
    assert excess({"$id": "https://example.com/", **strict, "properties": {}, "$defs": {"tree": tree}}) is None
    old = {"$id": "tree", "$recursiveAnchor": True, "properties": {"a": {"$recursiveRef": "#"}}}
    both = {"$recursiveAnchor": True, "allOf": [{"$ref": "tree"}], "properties": {"a": {"$recursiveRef": "#"}}}
    assert excess({"$schema": DRAFT_2019, "$id": "https://example.com/", **both, "$defs": {"tree": old}}) is not None


BASE = {"$ref": "#/$defs/Base"}
EXPRESSION = {
    "oneOf": [
        {"type": "object", "properties": {"op": {"const": "and"}, "args": {"items": {"$ref": "#"}}}},
        {"type": "object", "properties": {"op": {"const": "or"}, "args": {"items": {"$ref": "#"}}}},
        {"type": "boolean"},
    ]
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("schema", "are_foreseen"),
    [
        ({"oneOf": [{"const": number} for number in range(20_000)]}, True),
        ({"properties": {"next": {"$ref": "#"}, "others": {"items": {"$ref": "#"}}}}, True),
        ({"patternProperties": {"^x-": {"$ref": "#"}}, "additionalProperties": {"$ref": "#"}}, False),
        ({"allOf": [BASE], "properties": {"a": {"$ref": "#"}}, "$defs": {"Base": {"properties": {"a": BASE}}}}, True),
        (EXPRESSION, False),
        ({"$ref": "#"}, True),
        (lattice(lambda ref: {"properties": {"a": ref, "b": ref}}), True),
        (lattice(lambda ref: {"properties": {"a": {"anyOf": [ref, {"type": "null"}]}, "b": ref}}), True),
    ],
)  # fmt: skip
def test_typical_schemas_are_accepted(schema: Any, are_foreseen: bool) -> None:
    assert excess(schema) is None
    assert Bounds(schema).are_foreseen == are_foreseen


@pytest.mark.parametrize(
    "uri", [DRAFT_2020, DRAFT_2019, *(f"http://json-schema.org/draft-0{number}/schema" for number in (4, 6, 7))]
)
def test_the_metaschemas_are_accepted(uri: str) -> None:
    registry = import_module("jsonschema_specifications").REGISTRY
    parts = [each for each in registry if each.startswith(uri.removesuffix("schema"))]
    definitions = {str(number): registry.contents(each) for number, each in enumerate(parts)}
    schema = {"$schema": registry.contents(uri)["$schema"], "allOf": [{"$ref": uri}], "definitions": definitions}
    assert applied(Reach(SchemaGraph(schema))).times > 2
    assert excess(schema) is None
    assert Bounds(schema).are_foreseen


@pytest.mark.parametrize("name", of_sets(OWN, "tau", "tau2", "kubernetes", "acebench"))
def test_real_tools_are_accepted(name: str) -> None:
    for tool in tools_of(name):
        for schema in (tool["inputSchema"], tool.get("outputSchema", True)):
            assert excess(schema) is None
            assert Bounds(schema).are_foreseen


def test_a_chain_beyond_the_limit_is_refused() -> None:
    assert excess(lattice(lambda ref: {"allOf": [ref]}, MAX_CHAIN // 3)) is None
    for long in (lattice(dict, MAX_CHAIN + 1), lattice(lambda ref: {"allOf": [ref]}, MAX_CHAIN)):
        found = excess(long)
        assert found is not None
        assert "one inside another" in found.reason


def test_patterns_share_a_memory_limit() -> None:
    assert Bounds({"pattern": "a"}).pattern_bytes == 10 * 2**20
    many = Bounds({"properties": {str(number): {"pattern": f"a{number}"} for number in range(512)}})
    assert many.pattern_bytes == 2**19
