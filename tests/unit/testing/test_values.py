"""Made values: valid by the validator, the same for the same seed, or an error within bounds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given

from tests.properties.schemas import Toolset, toolsets
from toolgen.runtime import Codec
from toolgen.testing.values import MadeValues, NoValue, _Making

LIST = {"type": "object", "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/list"}}}
TREE = {
    "$defs": {
        "tree": {
            "type": "object",
            "properties": {"leaf": {"type": "boolean"}, "below": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
            "required": ["leaf", "below"],
        }
    },
    "$ref": "#/$defs/tree",
}
ENDLESS = {
    "$defs": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["n"]}},
    "$ref": "#/$defs/n",
}
DECISION = {
    "$defs": {
        "chain": {
            "type": "object",
            "properties": {"next": {"anyOf": [{"$ref": "#/$defs/chain"}, {"type": "null"}]}},
            "required": ["next"],
        }
    },
    "$ref": "#/$defs/chain",
}

SCHEMAS: dict[str, Any] = {
    "anything": True,
    "fields": {"type": "object", "properties": {"refunded": {"type": "number"}}, "required": ["refunded"]},
    "a list": {"$defs": {"list": {**LIST, "required": ["value"]}}, "$ref": "#/$defs/list"},
    "a tree": TREE,
    "a chain that must end": DECISION,
    "a pattern": {"type": "string", "pattern": "^o-[0-9]{4}$"},
    "a pattern that looks ahead": {"type": "string", "pattern": "^(?=.*[0-9])[a-z0-9]{8}$"},
    "a date": {"type": "string", "format": "date"},
    "an address": {"type": "string", "format": "ipv6"},
    "an unknown format": {"type": "string", "format": "colour"},
    "a long text": {"type": "string", "minLength": 50_000},
    "a short text": {"type": "string", "maxLength": 2},
    "a fraction": {"type": "number", "exclusiveMinimum": 0.2, "exclusiveMaximum": 0.3},
    "a multiple": {"type": "integer", "multipleOf": 7, "minimum": 100, "maximum": 110},
    "a negative number": {"type": "integer", "maximum": -5},
    "distinct items": {"type": "array", "uniqueItems": True, "minItems": 3, "items": {"enum": ["a", "b", "c"]}},
    "a tuple": {"type": "array", "prefixItems": [{"const": 1}, {"type": "null"}], "items": False, "minItems": 2},
    "a part": {"type": "array", "contains": {"const": 3}},
    "all of": {"allOf": [{"type": "object", "required": ["a"]}, {"properties": {"a": {"const": 5}}}]},
    "not": {"not": {"type": ["string", "null", "object"]}},
    "one of": {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 5}]},
    "a condition": {
        "type": "object",
        "properties": {"a": {"const": 1}, "b": {"type": "string"}},
        "required": ["a"],
        "if": {"required": ["a"]},
        "then": {"required": ["b"]},
    },
    "draft 04": {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "number",
        "minimum": 3,
        "exclusiveMinimum": True,
        "maximum": 4,
    },
    "a field that no value has": {"type": "object", "properties": {"gone": False, "here": True}, "required": ["here"]},
}


def made(schema: Any, seed: str = "1", *, assert_formats: bool = True) -> Any:
    codec = Codec.of(schema, assert_formats=assert_formats)
    value = MadeValues(schema, lambda each: not codec.check(each)).value(seed)
    assert codec.check(value) == ()
    return value


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_a_value_is_valid_and_the_same_for_the_same_seed(schema: Any) -> None:
    for seed in ("1", "2", "3"):
        assert made(schema, seed) == made(schema, seed)


def test_another_seed_makes_another_value() -> None:
    assert len({str(made(SCHEMAS["fields"], str(seed))) for seed in range(20)}) > 10


def test_a_value_reads_like_one_of_its_schema() -> None:
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "at": {"type": "string", "format": "date-time"}},
        "required": ["city", "at"],
    }
    value = made(schema)
    assert value["city"].startswith("city ")
    assert value["at"].startswith("202")


@pytest.mark.parametrize("schema", [False, ENDLESS, {"type": "string", "minLength": 5, "maxLength": 2}])
def test_a_schema_without_values_is_an_error(schema: Any) -> None:
    with pytest.raises(NoValue):
        made(schema)


def test_a_schema_that_is_too_large_is_an_error() -> None:
    properties = {f"p{number}": {"type": "string", "maxLength": number} for number in range(21_000)}
    with pytest.raises(NoValue, match="20,000 parts"):
        made({"type": "object", "properties": properties})
    nested: Any = {}
    for _ in range(400):
        nested = {"not": nested}
    with pytest.raises(NoValue):
        MadeValues(nested, lambda _: True).value("1")


def test_the_validator_of_the_tool_decides() -> None:
    with pytest.raises(NoValue):
        MadeValues({"type": "integer"}, lambda _: False).value("1")
    assert MadeValues({"enum": [1, 2, 3]}, lambda value: value == 2).value("1") == 2


def test_a_schema_whose_values_are_all_huge_takes_bounded_work(monkeypatch: pytest.MonkeyPatch) -> None:
    schema: Any = {"type": "integer", "minimum": 1, "maximum": 9}
    for _ in range(5):
        schema = {"type": "array", "minItems": 300, "items": schema}
    made_parts: list[None] = []
    along = _Making.along

    def counted(making: Any, *args: Any) -> Any:
        made_parts.append(None)
        return along(making, *args)

    monkeypatch.setattr(_Making, "along", counted)
    with pytest.raises(NoValue):
        made(schema)
    assert len(made_parts) < 5_000


@given(toolsets(tools=3))
def test_values_of_any_schema_are_valid_or_there_are_none(toolset: Toolset) -> None:
    found = 0
    for side in toolset.sides:
        try:
            made(toolset.document(side.schema))
            found += 1
        except NoValue:
            continue
    assume(found)
