"""Lenient schemas: each API gets the keywords it supports; the rest is described in words and reported."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import validator_for

from tests.unit.providers.schemas import args_schemas, values
from toolgen.providers.lenient import convert_schema
from toolgen.providers.schema_dialects import CLAUDE, GEMINI, MCP, OPENAI, Dialect

DIALECTS = {"openai": OPENAI, "claude": CLAUDE, "gemini": GEMINI, "mcp": MCP}
every = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)


def converted(schema: dict[str, Any], dialect: Dialect) -> tuple[dict[str, Any], list[str], set[tuple[str, str]]]:
    """Return the offered schema, the problems, and the differences."""
    schema, problems, differences = convert_schema("t", schema, dialect)
    assert {each.effect for each in differences} <= {"looser"}
    return schema, [str(problem) for problem in problems], {(each.pointer, each.keyword) for each in differences}


@every
@given(data=st.data())
def test_valid_args_are_valid_in_the_offered_schema(dialect: Dialect, data: st.DataObject) -> None:
    schema = data.draw(args_schemas())
    value = data.draw(values(schema, schema))
    offered, problems, differences = converted(schema, dialect)
    if not problems and validator_for(schema).is_valid(value):
        assert validator_for(offered).is_valid(value)
    if not differences:
        assert validator_for(offered).is_valid(value) == validator_for(schema).is_valid(value)


ONE_OF = {
    "type": "object",
    "description": "Edits.",
    "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
    "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
    "additionalProperties": False,
}


@pytest.mark.parametrize("dialect", [OPENAI, CLAUDE])
def test_a_condition_on_all_args_moves_to_their_description(dialect: Dialect) -> None:
    offered, problems, differences = converted(ONE_OF, dialect)
    assert problems == []
    assert differences == {("", "oneOf")}
    assert "oneOf" not in offered
    assert offered["description"] == 'Edits. (JSON Schema: {"oneOf":[{"required":["a"]},{"required":["b"]}]})'


def test_supported_schemas_are_sent_unchanged() -> None:
    assert converted(ONE_OF, MCP) == (ONE_OF, [], set())


def test_openai_receives_items_for_all_arrays() -> None:
    schema = {"type": "object", "properties": {"a": {"type": ["array", "null"]}}}
    assert converted(schema, OPENAI)[0]["properties"]["a"] == {"type": ["array", "null"], "items": {}}
    assert converted(schema, MCP)[0] == schema


@every
def test_args_without_a_type_are_an_object(dialect: Dialect) -> None:
    assert converted({"properties": {"a": {"type": "string"}}}, dialect)[0]["type"] == "object"
    assert converted({"type": ["object", "null"]}, dialect)[1] == ["t at /type: the args must be of the type `object`"]


def test_unsupported_arg_names_for_claude_are_reported() -> None:
    schema = {"type": "object", "properties": {"r&d": {}, "PM2.5": {}, "x" * 65: {}, "a": {"properties": {"ü": {}}}}}
    assert [problem.partition(" has a name")[0] for problem in converted(schema, CLAUDE)[1]] == [
        "t at /properties: the arg 'r&d'",
        f"t at /properties: the arg {'x' * 65!r}",
    ]


def test_gemini_supports_few_keywords() -> None:
    part = {"type": "string", "pattern": "^a", "minLength": 2, "format": "date", "x-order": 3, "default": "a1"}
    offered, problems, differences = converted({"type": "object", "properties": {"a": part}, "$schema": "x"}, GEMINI)
    assert (problems, differences) == ([], {("/properties/a", "pattern"), ("/properties/a", "minLength")})
    assert offered == {
        "type": "object",
        "properties": {
            "a": {
                "type": "string",
                "format": "date",
                "description": 'JSON Schema: {"pattern":"^a","minLength":2,"default":"a1"}',
            }
        },
    }


def test_gemini_receives_a_const_as_an_enum() -> None:
    schema = {"type": "object", "properties": {"a": {"const": "x"}, "b": {"const": None}, "c": {"enum": [True]}}}
    offered, _, differences = converted(schema, GEMINI)
    assert offered["properties"]["a"] == {"enum": ["x"]}
    assert differences == {("/properties/b", "enum"), ("/properties/c", "enum")}


def test_gemini_receives_any_of_instead_of_one_of() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"oneOf": [{"type": "string", "minLength": 1}, {"type": "string"}]}},
    }
    offered, _, differences = converted(schema, GEMINI)
    assert [branch["type"] for branch in offered["properties"]["a"]["anyOf"]] == ["string", "string"]
    assert differences == {("/properties/a", "oneOf"), ("/properties/a/oneOf/0", "minLength")}


def test_keywords_that_depend_on_each_other_are_removed_together() -> None:
    part = {"type": "object", "patternProperties": {"^x": {}}, "additionalProperties": False}
    offered, _, differences = converted({"type": "object", "properties": {"a": part}}, GEMINI)
    assert offered["properties"]["a"].keys() == {"type", "description"}
    assert differences == {("/properties/a", "patternProperties"), ("/properties/a", "additionalProperties")}


ONLY_B = {"properties": {"b": {"type": "string"}}}
EVALUATES: list[dict[str, Any]] = [
    {"allOf": [ONLY_B]},
    {"anyOf": [ONLY_B, {"required": ["k"]}]},
    {"oneOf": [ONLY_B, {"required": ["k"]}]},
    {"if": {"required": ["b"]}, "then": ONLY_B},
    {"if": {"required": ["k"]}, "else": ONLY_B},
    {"dependentSchemas": {"b": ONLY_B}},
    {"$ref": "#/$defs/B"},
    {"patternProperties": {"^b": {}}},
    {"properties": {"b": {}}},
    {"additionalProperties": True},
]
"""Keywords that declare the field `b`, each in its way."""


@every
@pytest.mark.parametrize("keywords", EVALUATES, ids=lambda keywords: "-".join(keywords))
@pytest.mark.parametrize("is_nested", [False, True], ids=["root", "nested"])
def test_no_field_is_forbidden_because_its_declaration_is_not_offered(
    dialect: Dialect, keywords: dict[str, Any], is_nested: bool
) -> None:
    part = {"type": "object", **keywords, "unevaluatedProperties": False}
    schema = {"type": "object", "properties": {"part": part}} if is_nested else part
    schema = {**schema, "$defs": {"B": ONLY_B}}
    value = {"part": {"b": "x"}} if is_nested else {"b": "x"}
    offered, problems, _ = converted(schema, dialect)
    assert problems == []
    assert validator_for(schema).is_valid(value)
    assert validator_for(offered).is_valid(value)


@every
@pytest.mark.parametrize("keywords", [{"prefixItems": [{}]}, {"contains": {"type": "string"}}, {"items": {}}, {}])
def test_no_item_is_forbidden_because_its_declaration_is_not_offered(dialect: Dialect, keywords: Any) -> None:
    part = {"type": "array", **keywords, "unevaluatedItems": False}
    schema = {"type": "object", "properties": {"part": part}}
    value = {"part": ["x"] if keywords else []}
    assert validator_for(schema).is_valid(value)
    assert validator_for(converted(schema, dialect)[0]).is_valid(value)


@every
@given(
    parts=st.lists(st.sampled_from(EVALUATES), max_size=3),
    others=st.fixed_dictionaries({}, optional={"properties": st.just({"a": {}}), "required": st.just(["a"])}),
    unevaluated=st.sampled_from([False, {"type": "string"}]),
    value=st.dictionaries(st.sampled_from(["a", "b", "k"]), st.sampled_from(["x", 1]), max_size=3),
)
def test_joined_args_are_valid_in_the_offered_schema(
    dialect: Dialect, parts: list[dict[str, Any]], others: dict[str, Any], unevaluated: Any, value: dict[str, Any]
) -> None:
    joined = {name: each for part in [*parts, others] for name, each in part.items()}
    schema = {"type": "object", **joined, "unevaluatedProperties": unevaluated, "$defs": {"B": ONLY_B}}
    offered, _, differences = converted(schema, dialect)
    is_valid = validator_for(schema).is_valid(value)
    assert validator_for(offered).is_valid(value) or not is_valid
    assert differences or validator_for(offered).is_valid(value) == is_valid


def test_gemini_receives_definitions_by_simple_names_and_no_siblings_of_references() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/definitions/T", "description": "It."}, "definitions": {"type": "string"}},
        "definitions": {"T": {"type": "string"}},
    }
    assert converted(schema, GEMINI) == (
        {
            "type": "object",
            "properties": {
                "a": {"description": "It.", "anyOf": [{"$ref": "#/$defs/T"}]},
                "definitions": {"type": "string"},
            },
            "$defs": {"T": {"type": "string"}},
        },
        [],
        set(),
    )


def holding_itself(**tree: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/Tree"}},
        "$defs": {"Tree": {"type": "object", "properties": {"more": {"$ref": "#/$defs/Tree"}}, **tree}},
    }


def test_gemini_accepts_recursion_only_through_optional_fields() -> None:
    assert converted(holding_itself(), GEMINI)[1] == []
    assert converted(holding_itself(required=["more"]), GEMINI)[1] == [
        "t at /$defs/Tree: contains itself other than through optional fields"
    ]
    assert converted({"type": "object", "properties": {"a": {"$ref": "#"}}}, GEMINI)[1] == [
        "t: `$ref` may only refer to a definition, not to #"
    ]


@every
def test_a_root_that_is_only_a_reference_is_resolved(dialect: Dialect) -> None:
    schema = {"$ref": "#/$defs/Args", "$defs": {"Args": {"type": "object", "properties": {"a": {"type": "string"}}}}}
    offered, problems, _ = converted(schema, dialect)
    assert problems == []
    assert (offered["type"], offered["properties"]) == ("object", {"a": {"type": "string"}})


@every
def test_the_given_schema_is_not_modified(dialect: Dialect) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array", "const": [1]}}, "oneOf": [{}]}
    before = repr(schema)
    convert_schema("t", schema, dialect)
    assert repr(schema) == before
