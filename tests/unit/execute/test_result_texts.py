"""Texts of results: a text is the result exactly as it came, unless the schema of the result says that it is JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.execute.result_texts import ResultTexts, may_be_text

STRING = {"type": "string"}
NULLABLE = {"type": ["string", "null"]}
MIXED = {"anyOf": [STRING, {"type": "object"}, {"type": "integer"}]}
OBJECT = {"type": "object", "properties": {"n": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("schema", "text", "bare", "labelled"),
    [
        (None, "1.10", "1.10", "1.10"),
        ({}, "[1]", "[1]", "[1]"),
        (True, "null", "null", "null"),
        (STRING, "1.10", "1.10", "1.10"),
        (STRING, '"quoted"', '"quoted"', '"quoted"'),
        (STRING, "null", "null", "null"),
        (STRING, '{"a": 1}', '{"a": 1}', '{"a": 1}'),
        ({"type": "number"}, "1.10", 1.1, 1.1),
        ({"type": "number"}, "one", "one", "one"),
        ({"type": ["integer", "null"]}, "5", 5, 5),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "null", None, None),
        ({"type": "string", "enum": ["a", "b"]}, '"a"', "a", "a"),
        ({"anyOf": [{"const": "auto"}, {"type": "integer"}]}, "5", 5, 5),
        ({"anyOf": [{"const": "auto"}, {"type": "integer"}]}, "auto", "auto", "auto"),
        ({"type": "string", "pattern": "^[0-9]+$"}, "0123", "0123", "0123"),
        ({"type": "string", "pattern": "^[0-9]+$"}, "123", "123", "123"),
        ({"type": "string", "maxLength": 2}, "1.10", "1.10", "1.10"),
        ({"type": "string", "maxLength": 2}, "[1,2]", [1, 2], "[1,2]"),
        ({"$ref": "#/$defs/a", "$defs": {"a": STRING}}, "1e5", "1e5", "1e5"),
        (NULLABLE, "null", None, "null"),
        (NULLABLE, "true", "true", "true"),
        (NULLABLE, '"quoted"', '"quoted"', '"quoted"'),
        (MIXED, "5", "5", "5"),
        (MIXED, '{"a": 1.10}', {"a": 1.1}, '{"a": 1.10}'),
        (MIXED, "[1]", "[1]", "[1]"),
        (OBJECT, '{"n": 1}', {"n": 1}, {"n": 1}),
        (OBJECT, '{"n": "x"}', {"n": "x"}, {"n": "x"}),
        (OBJECT, "5", 5, 5),
        (OBJECT, "{broken", "{broken", "{broken"),
        ({"anyOf": [OBJECT, {"type": "array"}]}, '{"n": "x"}', {"n": "x"}, '{"n": "x"}'),
        (STRING, "NaN", "NaN", "NaN"),
        (STRING, "[" * 100_000, "[" * 100_000, "[" * 100_000),
    ],
)
def test_a_text_is_what_the_schema_of_the_result_takes(schema: Any, text: str, bare: Any, labelled: Any) -> None:
    texts = ResultTexts(schema, "shop.find")
    for expected, found in ((bare, texts.value(text)), (labelled, texts.value(text, is_labelled=True))):
        assert (type(found), found) == (type(expected), expected)


JSON_TEXTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
).map(json.dumps)
TEXTS = st.text() | JSON_TEXTS | st.from_regex(r"\s*-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][0-9]{1,3})?\s*", fullmatch=True)


@given(text=TEXTS)
def test_any_text_is_exactly_a_result_that_is_a_string(text: str) -> None:
    for schema in (None, STRING, {"anyOf": [STRING, {"const": 7.25}]}):
        texts = ResultTexts(schema, "shop.find")
        assert texts.value(text) == texts.value(text, is_labelled=True) == text


@given(text=TEXTS)
def test_a_text_that_is_labelled_is_one_wherever_the_schema_takes_it(text: str) -> None:
    for schema in (NULLABLE, MIXED):
        assert ResultTexts(schema, "shop.find").value(text, is_labelled=True) == text


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (None, True),
        (True, True),
        (False, False),
        ({}, True),
        ({"type": "string"}, True),
        ({"type": ["null", "string"]}, True),
        ({"type": "object"}, False),
        ({"type": ["array", "null"]}, False),
        ({"enum": [1, "a"]}, True),
        ({"enum": [1, 2]}, False),
        ({"const": "a"}, True),
        ({"const": 1}, False),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}, False),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}, True),
        ({"anyOf": [{"type": "object"}]}, True),
    ],
)
def test_a_result_may_be_text_unless_its_schema_is_certain(schema: Any, expected: bool) -> None:
    assert may_be_text(schema) is expected
