"""Mentioned fields: no object is closed if its conditions need undeclared fields, so that it can be called."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema_rs import validator_for

from toolgen.providers.schema_dialects import CLAUDE_STRICT, OPENAI_STRICT, StrictDialect
from toolgen.providers.strict import conditional_properties, project

BASE: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
ITEM: dict[str, Any] = {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]}
NEEDS_B = {"properties": {"b": {"type": "string"}}, "required": ["b"]}
SHORT: list[dict[str, Any]] = [
    {**ITEM, "properties": {**ITEM["properties"], "gift_for": {"$ref": "#/$defs/Base"}},
     "allOf": [{"$ref": "#/$defs/Base"}]},
    {**ITEM, "dependentSchemas": {"item": NEEDS_B}},
    {**ITEM, "dependentRequired": {"item": ["b"]}},
    {**ITEM, "dependencies": {"item": ["b"]}},
    {**ITEM, "allOf": [{"required": ["b"]}]},
    {**ITEM, "allOf": [{"$ref": "#/$defs/Base"}], "unevaluatedProperties": False},
    {**ITEM, "if": {"required": ["item"]}, "then": {"required": ["b"]}},
    {**ITEM, "not": {"not": {"required": ["b"]}}},
    {**ITEM, "minProperties": 2},
    {**ITEM, "allOf": [{"$dynamicRef": "#x"}]},
]  # fmt: skip
both = pytest.mark.parametrize("dialect", [OPENAI_STRICT, CLAUDE_STRICT], ids=["openai", "claude"])
DEFINITIONS = {"Base": BASE}


@both
@pytest.mark.parametrize("schema", SHORT)
def test_a_condition_on_undeclared_fields_is_not_a_plain_object(schema: dict[str, Any], dialect: StrictDialect) -> None:
    (problem,) = project("t", {**schema, "$defs": DEFINITIONS}, dialect).problems
    assert problem.reason.startswith("the args are not a plain object")
    outer = {
        "type": "object", "properties": {"x": schema}, "required": ["x"], "additionalProperties": False,
        "$defs": DEFINITIONS,
    }  # fmt: skip
    projection = project("t", outer, dialect)
    assert [(each.pointer, each.keyword) for each in projection.differences] == [("/properties/x", "")]
    value = {"x": {"item": "hat", "name": "Ann", "b": "c"}}
    assert projection.restore(projection.project(value)) == value


@both
@pytest.mark.parametrize("beside", [{"required": ["b"]}, {"minProperties": 2}, {"properties": {"b": {}}}])
def test_an_object_with_siblings_of_a_reference_is_not_closed(beside: dict[str, Any], dialect: StrictDialect) -> None:
    schema = {
        "type": "object", "properties": {"x": {"$ref": "#/$defs/Base", **beside}}, "additionalProperties": False,
        "required": ["x"], "$defs": DEFINITIONS,
    }  # fmt: skip
    projection = project("t", schema, dialect)
    value = {"x": {"name": "Ann", "b": "c"}}
    assert projection.restore(projection.project(value)) == value


@both
@pytest.mark.parametrize(
    "condition",
    [
        {"not": {"required": ["b"]}},
        {"if": {"required": ["b"]}, "then": {"required": ["item"]}},
        {"allOf": [{"required": ["item"]}]},
        {"dependentRequired": {"item": ["item"]}},
    ],
)
def test_a_condition_on_declared_fields_can_be_offered(condition: dict[str, Any], dialect: StrictDialect) -> None:
    schema = {**ITEM, **condition}
    projection = project("t", schema, dialect)
    assert projection.problems == ()
    sent = {"item": "hat"}
    assert validator_for(dict(projection.schema)).is_valid(sent)
    assert validator_for(schema).is_valid(projection.restore(sent))


def test_circular_references_end() -> None:
    whole = {"$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}], "required": ["a"]}}}
    assert conditional_properties({"allOf": [{"$ref": "#/$defs/A"}]}, whole) == {"a"}
    assert conditional_properties({"allOf": [{"$ref": "#/$defs/B"}]}, whole) is None
