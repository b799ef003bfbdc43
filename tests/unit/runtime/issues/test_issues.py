from __future__ import annotations

from typing import Any

import pytest

from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.codec.codec import Codec
from toolgen.runtime.issues.issues import MAX_FOUND, MAX_ISSUES, MAX_TEXT

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name"],
    "additionalProperties": False,
}


def hints(schema: Any, value: Any) -> list[tuple[str, str, str]]:
    return [(issue.pointer, issue.keyword, issue.hint) for issue in Codec.of(schema).check(value)]


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (PERSON, {}, ("/name", "required", "add the field `name` (string)")),
        (
            PERSON,
            {"name": "a", "nmae": 1},
            ("/nmae", "additionalProperties", "remove `nmae`: known fields are `name`, `age`"),
        ),
        (
            PERSON,
            {"nmae": "a"},
            ("/nmae", "additionalProperties", "remove `nmae` (did you mean `name`?): known fields are `name`, `age`"),
        ),
        (PERSON, {"name": "a", "age": "3"}, ("/age", "type", "send an integer, not a string that holds one")),
        (PERSON, {"name": 3}, ("/name", "type", "use a string")),
        (PERSON, {"name": "a", "age": -1}, ("/age", "minimum", "use a number of at least 0")),
        (PERSON, "[]", ("", "type", "use an object")),
        (PERSON, '{"name": "a"}', ("", "type", "send an object, not a string that holds one")),
        ({"type": ["integer", "null"]}, "x", ("", "type", "use an integer or null")),
        ({"enum": ["open", "closed"]}, "opne", ("", "enum", 'did you mean "open"? use one of "open", "closed"')),
        ({"enum": [1, None]}, "x", ("", "enum", "use one of 1, null")),
        ({"const": {"a": 1}}, 2, ("", "const", 'use exactly {"a": 1}')),
        ({"maxLength": 2}, "abc", ("", "maxLength", "use at most 2 characters")),
        ({"pattern": "^a"}, "b", ("", "pattern", 'use text that matches the pattern "^a"')),
        (
            {"uniqueItems": True},
            [1, 1],
            ("", "uniqueItems", "remove item 1 (it equals item 0); items are counted from 0"),
        ),
        ({"minItems": 1}, [], ("", "minItems", "use at least 1 item")),
        ({"multipleOf": 3}, 4, ("", "multipleOf", "use a multiple of 3")),
        ({"not": {"type": "null"}}, None, ("", "not", "use a value that is not null")),
        ({"properties": {"a": False}}, {"a": 1}, ("/a", "falseSchema", "remove it: no value is allowed here")),
        (
            {"propertyNames": {"maxLength": 2}},
            {"abc": 1},
            ("/abc", "propertyNames", "rename the field `abc`: its name must be at most 2 characters"),
        ),
        (
            {"properties": {"b": {"type": "array", "items": {"type": "integer"}}}, "dependentRequired": {"a": ["b"]}},
            {"a": 1},
            ("/b", "required", "add the field `b` (array of integer), because `a` is given"),
        ),
        (
            {"prefixItems": [{}], "items": False},
            [1, 2],
            ("/1", "falseSchema", "remove it: no value is allowed here"),
        ),
    ],
)
def test_a_hint_says_what_to_do(schema: Any, value: Any, expected: tuple[str, str, str]) -> None:
    assert expected in hints(schema, value)


def test_the_nearest_alternative_is_explained() -> None:
    schema = {"anyOf": [PERSON, {"type": "string"}, {"type": "null"}]}
    assert hints({"properties": {"p": schema}}, {"p": {"name": "a", "age": "x"}}) == [
        ("/p/age", "type", "use an integer")
    ]


def test_all_alternatives_are_named_if_none_has_the_type() -> None:
    assert hints({"oneOf": [{"type": "string"}, {"type": "null"}, {"enum": [1, 2]}]}, 3.5) == [
        ("", "oneOf", "use a string or null or one of 1, 2")
    ]


def test_a_discriminated_alternative_is_the_nearest() -> None:
    shapes = [
        {"properties": {"kind": {"const": kind}, field: {"type": "integer"}}, "required": ["kind", field]}
        for kind, field in (("circle", "radius"), ("square", "side"))
    ]
    assert hints({"anyOf": shapes}, {"kind": "square", "side": "x"}) == [("/side", "type", "use an integer")]


def test_goa_16_all_problems_are_reported_at_once() -> None:
    found = hints({"type": "array", "items": PERSON}, [{}, {"name": 1, "x/~y": 2}])
    assert [(pointer, keyword) for pointer, keyword, _ in found] == [
        ("/0/name", "required"),
        ("/1/name", "type"),
        ("/1/x~1~0y", "additionalProperties"),
    ]


def test_the_found_value_is_shortened() -> None:
    values = [{"a": {"b": 1}, "c": 2}, {}, [1, 2, 3], "x" * 500, 1.5, None, True]
    found = [Codec.of({"type": "integer"}).check(value)[0].found for value in values]
    assert found == [
        "an object with `a`, `c`",
        "an empty object",
        "an array of 3 items",
        '"' + "x" * 78 + "…",
        "1.5",
        "null",
        "true",
    ]


def test_number_and_size_of_issues_are_bounded() -> None:
    schema = {"additionalProperties": False, "properties": {"p" * 500: {}}}
    issues = Codec.of(schema).check({f"{number}{'x' * 300}": "y" * 300 for number in range(40)})
    assert len(issues) == MAX_ISSUES
    assert all(len(issue.found) <= MAX_FOUND and len(issue.hint) <= MAX_TEXT for issue in issues)


@pytest.mark.slow
def test_a_large_payload_with_many_errors_is_refused_with_the_first_one() -> None:
    with pytest.raises(InvalidPayload) as refused:
        Codec.of({"items": {"type": "integer"}}).decode("[" + ",".join(['""'] * 50_000) + "]")
    assert [issue.pointer for issue in refused.value.issues] == ["/0"]
