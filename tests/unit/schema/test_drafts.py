"""Drafts: schemas of older drafts are converted to draft 2020-12, and accept the same values."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema_rs import meta, validator_for

from toolgen.providers.lenient import convert_schema
from toolgen.providers.schema_dialects import CLAUDE, GEMINI
from toolgen.schema.drafts import as_2020_12

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
NEW = "https://json-schema.org/draft/2020-12/schema"


def args(part: dict[str, Any], draft: str, **others: Any) -> dict[str, Any]:
    return {"$schema": draft, "type": "object", "properties": {"c": part}, **others}


@pytest.mark.parametrize(
    ("schema", "part", "values"),
    [
        (args({"items": [{"type": "string"}]}, DRAFT_7), {"prefixItems": [{"type": "string"}]}, [["a"], [1], ["a", 1]]),
        (
            args({"items": [{"type": "string"}], "additionalItems": False}, DRAFT_7),
            {"prefixItems": [{"type": "string"}], "items": False},
            [["a"], ["a", 1]],
        ),
        (args({"minimum": 0, "exclusiveMinimum": True}, DRAFT_4), {"exclusiveMinimum": 0}, [0, 1]),
        (args({"maximum": 9, "exclusiveMaximum": False}, DRAFT_4), {"maximum": 9}, [9, 10]),
        (
            args({"dependencies": {"a": ["b"], "b": {"required": ["d"]}}}, DRAFT_7),
            {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"b": {"required": ["d"]}}},
            [{"a": 1}, {"a": 1, "b": 1}, {"a": 1, "b": 1, "d": 1}],
        ),
        (
            args({"$ref": "#/definitions/T", "minLength": 9}, DRAFT_7, definitions={"T": {"type": "string"}}),
            {"$ref": "#/$defs/T"},
            ["a", 1],
        ),
    ],
)
def test_keywords_of_older_drafts_are_converted(
    schema: dict[str, Any], part: dict[str, Any], values: list[Any]
) -> None:
    converted = as_2020_12(schema)
    assert converted["properties"]["c"] == part
    assert "$schema" not in converted
    assert meta.is_valid({"$schema": NEW, **converted})
    for value in values:
        both = [validator_for(each).is_valid({"c": value}) for each in (schema, {"$schema": NEW, **converted})]
        assert both[0] == both[1], value


def test_definitions_under_both_keywords_are_kept() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/A"},
            "b": {"$ref": "#/definitions/A"},
            "c": {"$ref": "#/definitions/My%20Type"},
        },
        "$defs": {"A": {"type": "string"}},
        "definitions": {"A": {"type": "integer"}, "My Type": {"type": "null"}},
    }
    for dialect in (CLAUDE, GEMINI):
        converted, problems, _ = convert_schema("t", schema, dialect)
        assert problems == []
        assert converted["$defs"] == {"A": {"type": "string"}, "A_2": {"type": "integer"}, "My Type": {"type": "null"}}
        for value, fits in (({"a": "x", "b": 1, "c": None}, True), ({"a": 1}, False), ({"b": "x"}, False)):
            assert validator_for(converted).is_valid(value) == fits


def test_fields_and_values_named_like_keywords_are_unchanged() -> None:
    value = {"$ref": "#/definitions/T", "items": [1]}
    schema = args({"default": value, "enum": [value]}, DRAFT_7, definitions={"T": {}})
    assert as_2020_12(schema)["properties"]["c"] == {"default": value, "enum": [value]}
    named = {"type": "object", "properties": {"definitions": {"type": "string"}, "$ref": {"type": "string"}}}
    assert convert_schema("t", named, GEMINI)[:2] == (named, [])


def test_a_reference_to_an_unsent_part_is_a_problem() -> None:
    lost = {"type": "object", "properties": {"a": {"$ref": "#/$defs/Nope"}}}
    moved = args({"items": [{"type": "string"}]}, DRAFT_7)
    moved["properties"]["d"] = {"$ref": "#/properties/c/items/0"}
    for schema in (lost, moved):
        assert convert_schema("t", schema, CLAUDE)[1] != []
        assert convert_schema("t", schema, GEMINI)[1] != []
