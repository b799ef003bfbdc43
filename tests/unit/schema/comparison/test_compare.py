"""Changes of schemas: verdicts of wider or narrower are certain, and irrelevant differences are not changes."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.providers.schemas import args_schemas, values
from toolgen.changes.drift import CompiledTool, compare_tool
from toolgen.schema.comparison.compare import Direction, SchemaChange, SchemaPlace, Verdict, compare
from toolgen.schema.comparison.normal_form import normal_form

KEYWORDS = sorted({
    *("$ref", "$schema", "$id", "$defs", "definitions", "type", "enum", "const", "required", "properties", "items"),
    *("additionalProperties", "patternProperties", "prefixItems", "allOf", "anyOf", "oneOf", "not", "if", "then"),
    *("minimum", "maximum", "exclusiveMinimum", "multipleOf", "minLength", "maxItems", "dependencies", "contains"),
    *("dependentSchemas", "dependentRequired", "title", "$recursive", "unevaluatedProperties", "propertyNames", "a"),
})  # fmt: skip
TREE = {"type": "object", "properties": {"value": {"type": "integer"}, "below": {"items": {"$ref": "#/$defs/T"}}}}


def schema_change(before: Any, after: Any) -> SchemaChange:
    return compare(before, after).change


def fields(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"type": ["string"], "title": "A"}, {"type": "string", "description": "b"}),
        ({"required": ["a", "b"]}, {"required": ["b", "a"]}),
        ({"enum": [1, "a"]}, {"enum": ["a", 1]}),
        ({"properties": {}, "additionalProperties": True}, True),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"minLength": 2}}}, {"minLength": 2}),
        ({"$ref": "#/$defs/T", "$defs": {"T": TREE}}, {"$ref": "#/$defs/U", "$defs": {"U": {
            **TREE, "properties": {**TREE["properties"], "below": {"items": {"$ref": "#/$defs/U"}}}  # type: ignore[dict-item]  # a schema
        }}}),
        ({"$ref": "#"}, {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}),
        ({"$ref": "#/$defs/N", "$defs": {"N": {"properties": {"n": {"$ref": "#"}}}}},
         {"$ref": "#/$defs/M", "$defs": {"M": {"title": "M", "properties": {"n": {"$ref": "#"}}}}}),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"A": {"type": "null"}},
          "items": {"$ref": "#/definitions/A"}}, {"items": {"type": "null"}}),
    ],
)  # fmt: skip
def test_irrelevant_differences_are_not_changes(before: Any, after: Any) -> None:
    assert schema_change(before, after) is SchemaChange.SAME


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["a", "#", "#/$defs/A", "object"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=3),
    max_leaves=8,
)


def places_in(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place, *(found for key, each in below for found in places_in(each, (*place, key)))]


def with_value(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    if not place:
        return new
    copied = value.copy()
    copied[place[0]] = with_value(value[place[0]], place[1:], new)
    return copied


@st.composite
def malformed(draw: st.DrawFn) -> Any:
    """Schemas with anything in some place."""
    schema = draw(args_schemas())
    for _ in range(draw(st.integers(1, 3))):
        keywords = {keyword: draw(JUNK) for keyword in draw(st.lists(st.sampled_from(KEYWORDS), max_size=2))}
        place = draw(st.sampled_from(places_in(schema)))
        schema = with_value(schema, place, draw(JUNK) if draw(st.booleans()) else keywords)
    return schema


@given(before=args_schemas() | malformed(), after=malformed())
def test_malformed_schemas_are_compared(before: Any, after: Any) -> None:
    assert schema_change(after, after) is SchemaChange.SAME
    assert schema_change(before, after) in SchemaChange
    assert schema_change(after, before) in SchemaChange
    compiled = CompiledTool(
        name="a", args=before, result=True, title="", description="A.", imported="", annotations=None
    )
    list(compare_tool(compiled, {"name": "a", "inputSchema": after, "outputSchema": after}))


def test_exponential_definitions_stop_the_comparison() -> None:
    many = {f"T{n}": {"items": {"allOf": [{"$ref": f"#/$defs/T{n - 1}"}] * 2}} for n in range(1, 40)}
    schema = {"$ref": "#/$defs/T39", "$defs": {"T0": {"type": "null"}, **many}}
    other = {"$ref": "#/$defs/T39", "$defs": {"T0": {"type": "string"}, **many}}
    assert schema_change(schema, other) is SchemaChange.OTHER


@settings(max_examples=2 * settings().max_examples)
@given(data=st.data())
def test_the_normal_form_accepts_the_same_values(data: st.DataObject) -> None:
    schema = data.draw(args_schemas())
    form = normal_form(schema)
    if '"$recursive"' in repr(form).replace("'", '"'):
        return
    value = data.draw(values(schema, schema))
    accepted = jsonschema_rs.validator_for(schema).is_valid(value)
    assert jsonschema_rs.validator_for(form).is_valid(value) is accepted, (schema, form, value)


def test_a_counterexample_is_small_and_leads_to_the_places() -> None:
    item = {"type": "object", "properties": {"count": {"type": "integer", "minimum": 0}}, "required": ["id"]}
    before = fields(items={"type": "array", "items": {"$ref": "#/$defs/Item"}}) | {"$defs": {"Item": item}}
    after = copy.deepcopy(before)
    after["$defs"]["Item"]["properties"]["count"]["minimum"] = 5
    comparison = compare(before, after)
    assert comparison.gained == Direction(Verdict.NONE)
    found = comparison.lost.counterexample
    assert found is not None
    assert found.value == {"items": [{"id": None, "count": 0}]} or found.value["items"][0].keys() == {"id", "count"}
    assert len(found.value["items"]) == 1
    assert found.pointer == "/items/0/count"
    place = "/$defs/Item/properties/count"
    assert found.place == SchemaPlace(place, f"{place}/minimum", "minimum")


def test_what_was_required_is_reported_where_it_is_written() -> None:
    before = fields(a={"type": "string"})
    found = compare(before, {**before, "required": ["a"]}).lost.counterexample
    assert found is not None
    assert (found.value, found.pointer, found.place) == ({}, "", SchemaPlace("", "/required", "required"))


def test_keys_of_digits_are_found() -> None:
    before, after = ({"patternProperties": {"^0": {"properties": {"1": kind}}}} for kind in (True, False))
    found = compare(before, after).lost.counterexample
    assert found is not None
    assert found.pointer == "/0/1"
    assert found.place == SchemaPlace(
        "/patternProperties/^0/properties/1", "/patternProperties/^0/properties/1", "properties"
    )


def test_a_given_instance_is_preferred_and_kept() -> None:
    before, after = fields(a={"type": "string"}, b=True), fields(a={"maxLength": 2, "type": "string"}, b=True)
    given = [{"a": "long", "b": [1]}, {"a": "ok"}, {"a": 1}, {"a": "longest", "b": [1, 2, 3]}]
    for search in (True, False):
        found = compare(before, after, instances=iter(given), search=search).lost.counterexample
        assert found is not None
        assert found.is_given
        assert found.value == given[0]
    assert compare(before, after, search=False).lost.verdict is Verdict.UNDECIDED


def test_what_cannot_be_decided_is_named() -> None:
    before, after = (
        fields(a={"type": "string", "pattern": pattern}) for pattern in (r"^(?!secret)[a-z]{9}\b", r"^(?!x)[a-z]{9}")
    )
    comparison = compare(before, after, search=False)
    place = SchemaPlace("/properties/a", "/properties/a", "pattern")
    assert comparison.lost == Direction(Verdict.UNDECIDED, undecided=(place,))
    assert comparison.gained == Direction(Verdict.UNDECIDED, undecided=(place,))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"$ref": "https://example.com/elsewhere.json"},
        {"$schema": "https://example.com/draft", "type": "string"},
        {"pattern": "("},
        {"properties": {"a": {"minimum": "1"}}},
    ],
)
def test_schemas_that_cannot_be_compiled_are_undecided(schema: Any) -> None:
    comparison = compare(schema, {"type": "string"}, instances=["a"])
    assert comparison.lost.verdict is comparison.gained.verdict is Verdict.UNDECIDED
    assert compare(schema, {**schema, "description": "It."}).change is SchemaChange.SAME


def test_a_resource_inside_a_schema_is_compared_as_a_whole() -> None:
    inner = {"$id": "https://example.com/inner", "$defs": {"A": {"type": "string"}}, "$ref": "#/$defs/A"}
    before, after = ({"properties": {"a": inner, "b": kind}} for kind in ({"type": "integer"}, {"type": "number"}))
    comparison = compare(before, after)
    assert comparison.gained.verdict is Verdict.FOUND
    assert comparison.lost.verdict is Verdict.UNDECIDED


def nested(levels: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


def many_choices(count: int) -> Any:
    return {"allOf": [{"anyOf": [{"required": [f"a{n}"]}, {"minProperties": n}]} for n in range(count)]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (nested(240), nested(241)),
        (nested(100_000), nested(3)),
        (many_choices(40), many_choices(41)),
        ({"not": many_choices(40)}, {"not": many_choices(41)}),
        ({"oneOf": [{"minimum": n} for n in range(60)]}, {"oneOf": [{"minimum": n} for n in range(61)]}),
        ({"pattern": "(a|b|ab)*c{500}" * 9}, {"pattern": "(a|b|ab)*d{500}" * 9}),
        ({"patternProperties": {f"{n}$": {"minLength": n} for n in range(40)}},
         {"patternProperties": {f"{n}$": {"minLength": n + 1} for n in range(40)}}),
        ({"enum": [*range(5_000)]}, {"enum": [*range(1, 5_001)]}),
    ],
    ids=["deep", "too deep", "choices", "no choices", "one of many", "patterns", "fields", "values"],
)  # fmt: skip
@pytest.mark.variants(3)
def test_hostile_schemas_take_a_bounded_number_of_steps(before: Any, after: Any) -> None:
    comparison = compare(before, after)
    assert comparison.lost.verdict in Verdict


@pytest.mark.slow
def test_values_that_repeat_their_parts_are_not_made_beyond_a_bound() -> None:
    arrays: Any = {"type": "integer"}
    for _ in range(4):
        arrays = {"type": "array", "minItems": 300, "items": arrays}
    pairs: dict[str, Any] = {"d40": {"type": "integer"}}
    for number in range(40):
        below = {"$ref": f"#/$defs/d{number + 1}"}
        pairs[f"d{number}"] = {"type": "object", "required": ["a", "b"], "properties": {"a": below, "b": below}}
    for schema in (arrays, {"$defs": pairs, "$ref": "#/$defs/d0"}):
        assert compare(schema, False).lost.verdict is Verdict.UNDECIDED
