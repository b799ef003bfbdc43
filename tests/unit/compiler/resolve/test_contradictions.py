"""Contradictions: parts of schemas that accept no value cause a warning, others never do."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.compiler.specs import raw, resolved, toolset

NUMBERS = st.integers(0, 3)
VALUES = st.recursive(
    st.integers(0, 3) | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=4,
)
SCHEMAS = st.one_of(
    st.fixed_dictionaries({"type": st.just("integer"), "minimum": NUMBERS, "maximum": NUMBERS}),
    st.fixed_dictionaries({"type": st.just("integer"), "exclusiveMinimum": NUMBERS, "maximum": NUMBERS}),
    st.fixed_dictionaries({"type": st.just("string"), "minLength": NUMBERS, "maxLength": NUMBERS}),
    st.fixed_dictionaries({"type": st.just("array"), "minItems": NUMBERS, "maxItems": NUMBERS}),
    st.fixed_dictionaries(
        {"type": st.just("object"), "required": st.lists(st.sampled_from("ab"), unique=True)},
        optional={
            "properties": st.dictionaries(st.sampled_from("ab"), st.booleans()),
            "patternProperties": st.just({"^a": True}),
            "additionalProperties": st.booleans(),
        },
    ),
)


@given(SCHEMAS, VALUES)
def test_a_schema_with_a_warning_accepts_no_value(schema: dict[str, Any], value: Any) -> None:
    if jsonschema_rs.is_valid(schema, value):
        assert codes(schema) == set()


@pytest.mark.parametrize("keyword", ["if", "then", "else", "not"])
def test_intentionally_unsatisfiable_schemas_cause_no_warning(keyword: str) -> None:
    assert codes({"if": {"required": ["a"]}, keyword: {"enum": []}}) == set()


@pytest.mark.parametrize(
    "schema",
    [
        {"exclusiveMinimum": True, "minimum": 1, "maximum": 2, "$schema": "http://json-schema.org/draft-04/schema#"},
        {"properties": {"minimum": {"const": 3}, "maximum": {"const": 2}, "enum": {"const": 1}}},
        {"const": {"minimum": 3, "maximum": 2}},
    ],
)
def test_schemas_that_only_look_contradictory_cause_no_warning(schema: dict[str, Any]) -> None:
    assert codes(schema) == set()


def codes(schema: dict[str, Any]) -> set[str]:
    """Return the diagnostics for a result schema."""
    return set(resolved(toolset({"get": {"result": raw(schema)}})).codes)
