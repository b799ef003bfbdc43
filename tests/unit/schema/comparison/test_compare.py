"""Changes of schemas: verdicts of wider or narrower are certain, and irrelevant differences are not changes."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.providers.schemas import args_schemas, values
from toolgen.changes.sources.tools import CompiledTool, compare_tool
from toolgen.schema.comparison.compare import compare
from toolgen.schema.comparison.normal_form import normal_form
from toolgen.schema.comparison.verdict import SchemaChange

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
            **TREE, "properties": {**TREE["properties"], "below": {"items": {"$ref": "#/$defs/U"}}}  # type: ignore[dict-item]
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


@settings(max_examples=50)
@given(before=args_schemas() | malformed(), after=malformed())
def test_malformed_schemas_are_compared(before: Any, after: Any) -> None:
    assert schema_change(after, after) is SchemaChange.SAME
    assert schema_change(before, after) in SchemaChange
    assert schema_change(after, before) in SchemaChange
    compiled = CompiledTool(
        name="a", args=before, result=True, title="", description="A.", imported="", annotations=None
    )
    list(compare_tool(compiled, {"name": "a", "inputSchema": after, "outputSchema": after}))


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        ({"type": "integer"}, {"type": "number"}),
        ({"type": "string"}, {"type": ["string", "null"]}),
        ({"enum": ["a"]}, {"enum": ["a", "b"]}),
        ({"const": 1}, {"enum": [1, 2]}),
        ({"enum": ["a"]}, {"type": "string"}),
        ({"minimum": 2}, {"minimum": 1}),
        ({"multipleOf": 4}, {"multipleOf": 2}),
        ({"maxItems": 2, "items": {"type": "integer"}}, {"items": {"type": "number"}}),
        ({"required": ["a", "b"]}, {"required": ["b"]}),
        (fields(a={"type": "string"}), fields(a={"type": "string"}, b={"type": "string"})),
        (fields(a={"type": "string"}), {"type": "object", "properties": {"a": {"type": "string"}}}),
        ({"type": "string"}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, {"type": ["string", "number"]}),
        (fields(a={"$ref": "#/$defs/T"}) | {"$defs": {"T": TREE}},
         fields(a={"$ref": "#/$defs/T"}, b=True) | {"$defs": {"T": TREE}}),
    ],
)  # fmt: skip
def test_wider_and_narrower_schemas_are_distinguished(narrow: Any, wide: Any) -> None:
    assert schema_change(narrow, wide) is SchemaChange.MORE
    assert schema_change(wide, narrow) is SchemaChange.FEWER


def test_exponential_definitions_stop_the_comparison() -> None:
    many = {f"T{n}": {"items": {"allOf": [{"$ref": f"#/$defs/T{n - 1}"}] * 2}} for n in range(1, 40)}
    schema = {"$ref": "#/$defs/T39", "$defs": {"T0": {"type": "null"}, **many}}
    other = {"$ref": "#/$defs/T39", "$defs": {"T0": {"type": "string"}, **many}}
    assert schema_change(schema, other) is SchemaChange.OTHER


@settings(max_examples=150)
@given(data=st.data())
def test_the_normal_form_accepts_the_same_values(data: st.DataObject) -> None:
    schema = data.draw(args_schemas())
    form = normal_form(schema)
    if '"$recursive"' in repr(form).replace("'", '"'):
        return
    value = data.draw(values(schema, schema))
    accepted = jsonschema_rs.validator_for(schema).is_valid(value)
    assert jsonschema_rs.validator_for(form).is_valid(value) is accepted, (schema, form, value)
