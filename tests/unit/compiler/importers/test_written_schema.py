"""Foreign schemas in a spec: they keep their meaning, whatever their root is."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest

from tests.unit.compiler.importers.importing import import_tools, tool

DRAFT_07 = "http://json-schema.org/draft-07/schema#"
LATEST = "https://json-schema.org/draft/2020-12/schema"

VALUES: list[Any] = [
    *(None, True, False, 0, 1, 1.5, -1, "", "a", "abc"),
    *([], [1], ["a", 1]),
    *({}, {"a": 1}, {"a": "x"}, {"b": 1}, {"a": {"a": 1}}, {"type": "a"}),
]
ROOTS: list[Any] = [
    True,
    False,
    {},
    {"minLength": 2},
    {"not": {"type": "object"}},
    {"required": ["a"]},
    {"additionalProperties": False},
    {"patternProperties": {"^a": {"type": "integer"}}},
    {"items": {"type": "string"}},
    {"contains": {"const": 1}},
    {"if": {"type": "object"}, "then": {"minProperties": 1}},
    {"description": "anything"},
    {"city": {"type": "string"}},
    {"type": "string"},
    {"type": ["object", "null"], "properties": {"a": {"type": "integer"}}},
    {"const": {"a": 1}},
    {"enum": [1, "a", None, {"b": 1}]},
    {"anyOf": [{"type": "integer"}, {"required": ["a"]}]},
    {"properties": {"a": {"$ref": "#"}, "type": {"const": "a"}}},
    {"properties": {"a": {"$ref": "#/types/A"}}, "types": {"A": {"type": "integer"}}},
    {"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}}},
    {"$schema": DRAFT_07, "$ref": "#/definitions/A", "minLength": 9, "definitions": {"A": {"type": "string"}}},
    {"$schema": DRAFT_07, "$ref": "#/definitions/A", "allOf": [False], "definitions": {"A": {"required": ["a"]}}},
    {"$comment": "a note", "maximum": 1},
]


def is_valid(schema: Any, value: Any) -> bool:
    return jsonschema_rs.validator_for(schema, validate_formats=False, offline=True).is_valid(value)


@pytest.mark.parametrize("schema", ROOTS, ids=str)
def test_a_result_schema_accepts_the_same_values(schema: Any) -> None:
    result = import_tools(tool("look", outputSchema=schema)).resolved()["look"].result.json

    assert [is_valid(result, value) for value in VALUES] == [is_valid(schema, value) for value in VALUES]


OBJECT_ROOTS: list[Any] = [
    schema
    for schema in ROOTS
    if schema is True or (isinstance(schema, dict) and schema.get("type") != "string" and "city" not in schema)
]


@pytest.mark.parametrize("schema", OBJECT_ROOTS, ids=str)
def test_an_args_schema_accepts_the_same_objects_or_is_refused(schema: Any) -> None:
    imported = import_tools(tool("look", schema), tool("see"))

    if "look" not in imported.tools:
        assert imported.messages[0].endswith(
            "`look` is skipped: this schema refers to itself, and does not require args to be an object"
        )
        assert '"$ref": "#"' in json.dumps(schema)
        return
    args = imported.resolved()["look"].args.json
    expected = [isinstance(value, dict) and is_valid(schema, value) for value in VALUES]
    assert [is_valid(args, value) for value in VALUES] == expected


@pytest.mark.parametrize("schema", [{}, None, True])
def test_an_empty_schema_is_an_open_object(schema: Any) -> None:
    imported = import_tools({"name": "look", "inputSchema": schema}, {"name": "see"})

    assert imported.tools["look"]["args"] == imported.tools["see"]["args"] == {"type": "object"}


def test_an_unconstrained_result_is_left_out() -> None:
    imported = import_tools(tool("look"), tool("see", outputSchema=None), tool("hear", outputSchema={}))

    assert "result" not in imported.tools["look"]
    assert "result" not in imported.tools["see"]
    assert imported.tools["hear"]["result"] == "any"


def test_schemas_without_a_draft_have_that_of_the_file() -> None:
    schema = {"items": [{"type": "string"}], "minItems": 1}
    imported = import_tools(tool("look", outputSchema=schema), dialect="draft-07")

    assert imported.data["dialect"] == "draft-07"
    assert imported.tools["look"]["result"]["$schema"] == DRAFT_07
    result = imported.resolved()["look"].result
    assert result.dialect == "draft-07"
    assert is_valid(result.json, ["a", 1])
    assert not is_valid(result.json, [1])


def test_a_schema_with_a_draft_keeps_it() -> None:
    schema = {"$schema": DRAFT_07, "type": "object", "properties": {}}
    imported = import_tools(tool("look", schema))

    assert "dialect" not in imported.data
    assert imported.tools["look"]["args"] == schema


def test_short_keywords_come_before_long_ones() -> None:
    schema = {
        "properties": {
            "b": {"description": "B.", "type": "string"},
            "a": {"items": {"x-y": 1, "type": "null"}, "type": "array"},
        },
        "$defs": {"D": {"maximum": 1, "type": "integer"}},
        "required": ["b"],
        "additionalProperties": False,
        "type": "object",
        "$schema": LATEST,
    }
    imported = import_tools(tool("look", schema))

    args = imported.tools["look"]["args"]
    assert args == schema
    assert list(args) == ["$schema", "type", "additionalProperties", "required", "properties", "$defs"]
    assert list(args["properties"]) == ["b", "a"]
    assert "b: {type: string, description: B.}" in imported.text
    assert 'a: {type: array, items: {type: "null", x-y: 1}}' in imported.text
    assert "D: {type: integer, maximum: 1}" in imported.text


def test_names_of_keywords_inside_values_are_not_keywords() -> None:
    schema = {
        "type": "object",
        "properties": {"properties": {"const": {"required": 1, "type": 2}}, "$ref": {"type": "string"}},
    }
    imported = import_tools(tool("look", schema))

    assert imported.tools["look"]["args"] == schema
    assert list(imported.tools["look"]["args"]["properties"]["properties"]["const"]) == ["required", "type"]
