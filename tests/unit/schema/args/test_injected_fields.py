"""Injected fields: no part of the args that models are shown names them, and fields below keep theirs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import validator_for

from toolgen.schema.args import keyword_with, without_fields, without_injected

TENANT = {"properties": {"tenant": {"type": "string", "description": "hidden"}}}
AMOUNT = {"properties": {"amount": {"type": "number"}}, "required": ["amount"]}
WAYS: list[dict[str, Any]] = [
    TENANT,
    {"allOf": [TENANT]},
    {"allOf": [{**TENANT, "required": ["tenant"]}, AMOUNT]},
    {"allOf": [{"allOf": [{"$ref": "#/$defs/Tenant"}]}]},
    {"anyOf": [TENANT, AMOUNT]},
    {"oneOf": [{**TENANT, "maxProperties": 0}, AMOUNT]},
    {"if": TENANT, "then": AMOUNT},
    {"if": AMOUNT, "then": TENANT, "else": TENANT},
    {"not": {**TENANT, "minProperties": 2}},
    {"dependentSchemas": {"amount": TENANT, "tenant": AMOUNT}},
    {"dependentRequired": {"tenant": ["amount"]}},
    {"$ref": "#/$defs/Tenant"},
    {"$ref": "#/$defs/Both"},
]
"""Keywords that declare the field, each in its way."""

DEFINITIONS: dict[str, Any] = {
    "Tenant": TENANT,
    "Both": {"type": "object", **TENANT, "allOf": [AMOUNT], "required": ["tenant"]},
    "Account": {"description": "hidden", "enum": ["a", "b"]},
}


def args_with(*ways: dict[str, Any]) -> dict[str, Any]:
    """Return args that reject the field `tenant`, as a build makes them."""
    joined = {keyword: value for way in ways for keyword, value in way.items()}
    own = joined.get("properties", {})
    properties = {"properties": {"amount": {"type": "number"}, **own}}
    schema = {"type": "object", **joined, **properties, "$defs": DEFINITIONS}
    return without_fields(schema, ["tenant"], is_old=False)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(way))
def test_a_field_is_left_out_wherever_it_is_declared(way: dict[str, Any]) -> None:
    args = args_with(way)
    before = json.dumps(args)
    shown = json.dumps(without_injected(args, ["tenant"]))
    assert ("tenant" in shown, "hidden" in shown) == (False, False)
    assert '"amount": {"type": "number"}' in shown
    assert keyword_with(args, "tenant") == ""
    assert json.dumps(args) == before


@given(
    ways=st.lists(st.sampled_from(WAYS), max_size=3),
    value=st.dictionaries(st.sampled_from(["amount", "other"]), st.sampled_from([1, "x"]), max_size=2),
)
def test_args_without_the_field_are_accepted_as_before(ways: list[dict[str, Any]], value: dict[str, Any]) -> None:
    args = args_with(*ways)
    shown = without_injected(args, ["tenant"])
    assert "tenant" not in json.dumps(shown)
    assert validator_for(shown).is_valid(value) == validator_for(args).is_valid(value)


def test_a_field_below_keeps_its_own_field_of_that_name() -> None:
    schema = {
        "type": "object",
        "$ref": "#/$defs/Order",
        "$defs": {"Order": {"type": "object", **TENANT, "required": ["tenant"]}},
        "properties": {"before": {"$ref": "#/$defs/Order"}},
    }
    shown = without_injected(without_fields(schema, ["tenant"], is_old=False), ["tenant"])
    assert shown["properties"] == {"before": {"$ref": "#/$defs/Order"}}
    assert shown["$defs"] == schema["$defs"]
    assert "tenant" not in json.dumps(shown["allOf"])


def test_a_reference_of_an_old_draft_is_replaced_by_its_target() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "allOf": [{"$ref": "#/definitions/Both"}],
        "definitions": {"Both": {"type": "object", **TENANT, "required": ["amount"]}, "Kept": {"$id": "kept"}},
    }
    shown = without_injected(without_fields(schema, ["tenant"], is_old=True), ["tenant"])
    assert shown["allOf"] == [{"type": "object", "required": ["amount"]}]
    assert shown["definitions"] == {"Kept": {"$id": "kept"}}


def test_args_without_injected_fields_are_unchanged() -> None:
    args = args_with(*WAYS)
    assert without_injected(args, []) == args


@pytest.mark.parametrize(
    ("way", "keyword"),
    [
        ({"dependentRequired": {"amount": ["tenant"]}}, "dependentRequired"),
        ({"dependencies": {"amount": ["tenant"]}}, "dependencies"),
        ({"anyOf": [{"required": ["tenant"]}, AMOUNT]}, "required"),
        ({"if": {"required": ["tenant"]}, "then": AMOUNT}, "required"),
        ({"dependentSchemas": {"amount": {"required": ["tenant"]}}}, "required"),
        ({"propertyNames": {"enum": ["amount", "tenant"]}}, "propertyNames"),
        ({"allOf": [{"$id": "https://example.org/base", **TENANT}]}, "properties"),
    ],
)
def test_a_keyword_that_needs_the_field_is_found(way: dict[str, Any], keyword: str) -> None:
    assert keyword_with(args_with(way), "tenant") == keyword
