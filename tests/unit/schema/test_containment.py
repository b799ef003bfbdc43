"""Changes of schemas: verdicts of wider or narrower are certain, and irrelevant differences are not changes."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.providers.schemas import args_schemas, values
from toolgen.schema.comparison.containment import SchemaChange, is_contained, schema_change
from toolgen.schema.comparison.normal_form import normal_form

TREE = {"type": "object", "properties": {"value": {"type": "integer"}, "below": {"items": {"$ref": "#/$defs/T"}}}}


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
        ({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"A": {"type": "null"}},
          "items": {"$ref": "#/definitions/A"}}, {"items": {"type": "null"}}),
    ],
)  # fmt: skip
def test_irrelevant_differences_are_not_changes(before: Any, after: Any) -> None:
    assert schema_change(before, after) is SchemaChange.SAME


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


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"type": "string"}, {"type": "integer"}),
        (fields(a={"type": "string"}), fields(b={"type": "string"})),
        ({"properties": {"a": True}, "unevaluatedProperties": False},
         {"properties": {"a": True, "b": True}, "unevaluatedProperties": False}),
        ({"contains": {"type": "null"}}, {"contains": {"type": "null"}, "minContains": 0}),
        ({"$ref": "#/$defs/T", "$defs": {"T": TREE}},
         {"$ref": "#/$defs/T", "$defs": {"T": {**TREE, "required": ["value"]}}}),
    ],
)  # fmt: skip
def test_uncertain_changes_are_reported_as_other(before: Any, after: Any) -> None:
    assert schema_change(before, after) is SchemaChange.OTHER


def test_exponential_definitions_stop_the_comparison() -> None:
    many = {f"T{n}": {"items": {"allOf": [{"$ref": f"#/$defs/T{n - 1}"}] * 2}} for n in range(1, 40)}
    schema = {"$ref": "#/$defs/T39", "$defs": {"T0": {"type": "null"}, **many}}
    assert schema_change(schema, schema) is SchemaChange.OTHER


@settings(max_examples=150)
@given(data=st.data())
def test_values_of_a_contained_schema_are_valid_in_the_other(data: st.DataObject) -> None:
    inner, outer = data.draw(args_schemas()), data.draw(args_schemas())
    inner = data.draw(st.sampled_from([inner, {**outer, **inner}, {**outer, "required": [*outer["required"], "zz"]}]))
    if not is_contained(normal_form(inner), normal_form(outer)):
        return
    value = data.draw(values(inner, inner))
    if jsonschema_rs.validator_for(inner).is_valid(value):
        assert jsonschema_rs.validator_for(outer).is_valid(value), (inner, outer, value)


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
