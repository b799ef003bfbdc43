"""References: their targets, their siblings, and how far they are followed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolgen.providers.protocol import OfferedTool
from toolgen.providers.schema_dialects import OPENAI_STRICT
from toolgen.providers.strict import project
from toolgen.providers.table import PROVIDERS, provider_payload
from toolgen.schema.references import behind_references, endless


def test_a_root_reference_keeps_its_siblings() -> None:
    target = {"type": "object", "properties": {"a": {}}, "description": "Any."}
    schema = {"$ref": "#/$defs/T", "description": "This.", "default": {"a": 1}, "$defs": {"T": target}}
    assert behind_references(schema) == ({**target, "description": "This.", "default": {"a": 1}}, "/$defs/T")


def test_a_reference_may_be_percent_encoded() -> None:
    field = {"$ref": "#/$defs/My%20Type"}
    schema = {
        "type": "object", "properties": {"a": field}, "required": ["a"], "additionalProperties": False,
        "$defs": {"My Type": {"type": "string"}},
    }  # fmt: skip
    projection = project("t", schema, OPENAI_STRICT)
    assert projection.differences == ()
    assert projection.schema["properties"]["a"] == {"$ref": "#/$defs/My_Type"}
    assert projection.schema["$defs"] == {"My_Type": {"type": "string"}}


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"x": schema}}
    return schema


def chain(levels: int) -> dict[str, Any]:
    definitions: dict[str, Any] = {
        f"D{number}": {
            "type": "object", "properties": {"n": {"$ref": f"#/$defs/D{number + 1}"}}, "additionalProperties": False
        }
        for number in range(levels)
    }  # fmt: skip
    last = {f"D{levels}": {"type": "string"}}
    return {"type": "object", "properties": {"x": {"$ref": "#/$defs/D0"}}, "$defs": {**definitions, **last}}


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_schema_that_is_too_deep_is_a_problem(name: str) -> None:
    payload = provider_payload(name, [OfferedTool(name="t", description="It.", args=deep(250))])
    assert [str(problem) for problem in payload.problems] == ["t: is nested more than 100 levels deep"]


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_long_chain_of_definitions_is_offered_or_a_problem(name: str) -> None:
    payload = provider_payload(name, [OfferedTool(name="t", description="It.", args=chain(200))])
    reasons = [problem.reason for problem in payload.problems]
    assert reasons == (["is nested more than 100 levels deep"] if name.endswith("strict") else [])


def test_json_text_is_described_with_only_its_reachable_definitions() -> None:
    def size(count: int) -> int:
        definitions = {f"D{n}": {"type": "object", "description": "x" * 200} for n in range(count)}
        fields = {f"p{n}": {"type": "object", "additionalProperties": {"$ref": f"#/$defs/D{n}"}} for n in range(count)}
        schema = {"type": "object", "properties": fields, "additionalProperties": False, "$defs": definitions}
        return len(json.dumps(dict(project("t", schema, OPENAI_STRICT).schema)))

    assert size(80) < 5 * size(20)
    chained = {"type": "object", "properties": {"a": {"type": "object", "additionalProperties": {"$ref": "#/$defs/A"}}}}
    definitions = {"A": {"items": {"$ref": "#/$defs/B"}}, "B": {"type": "null"}, "C": {"type": "integer"}}
    text = project("t", {**chained, "$defs": definitions}, OPENAI_STRICT).schema["properties"]["a"]["description"]
    assert '"$defs":{"A":{"items":{"$ref":"#/$defs/B"}},"B":{"type":"null"}}' in text


HELD = {"$ref": "#/$defs/T"}


@pytest.mark.parametrize(
    ("definition", "is_endless"),
    [
        ({"properties": {"next": HELD}, "required": ["next"]}, True),
        ({"properties": {"next": HELD}, "required": []}, False),
        ({"items": HELD}, True),
        ({"anyOf": [HELD, {"type": "null"}]}, True),
        (
            {"properties": {"properties": {"properties": {"a": HELD}, "required": ["a"]}}, "required": ["properties"]},
            True,
        ),
        ({"properties": {"properties": HELD, "items": HELD, "required": {"type": "boolean"}}}, False),
        ({"$defs": {"properties": True, "required": HELD, "items": HELD}}, False),
        ({"enum": [{"properties": ["a"]}, {"$ref": "#/$defs/T"}, {"items": {"$ref": "#/$defs/T"}}]}, False),
        ({"const": {"required": 5, "properties": {"$ref": "#/$defs/T"}}, "default": {"properties": 5}}, False),
        ({"dependentRequired": {"properties": ["items"]}, "examples": [{"$ref": "#/$defs/T"}]}, False),
    ],
)
def test_a_definition_is_recursive_through_schemas_but_not_through_names_and_values(
    definition: dict[str, Any], is_endless: bool
) -> None:
    schema = {"type": "object", "properties": {"t": HELD}, "$defs": {"T": definition}}
    assert endless(schema) == ("#/$defs/T" if is_endless else "")


@pytest.mark.parametrize("reference", ["#/$defs/My%20T~1", "#/$defs/My T~1", "#/$defs/My T~1/properties/next"])
def test_a_recursive_definition_is_detected_in_any_spelling_of_its_name(reference: str) -> None:
    definition = {"properties": {"next": {"anyOf": [{"$ref": reference}]}}, "required": ["next"]}
    schema = {"type": "object", "properties": {"t": {"$ref": "#/$defs/My%20T~1"}}, "$defs": {"My T/": definition}}
    assert endless(schema).startswith("#/$defs/My")


@pytest.mark.parametrize("inner", [{"properties": True}, {"required": HELD, "items": HELD}])
def test_gemini_accepts_definitions_named_like_keywords(inner: dict[str, Any]) -> None:
    definition = {"type": "object", "$defs": {**inner, "type": {"type": "string"}}}
    schema = {"type": "object", "properties": {"t": HELD}, "$defs": {"T": definition}}
    payload = provider_payload("gemini", [OfferedTool(name="t", description="Do it.", args=schema)])
    assert payload.problems == ()
