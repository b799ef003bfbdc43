"""Issues for each violated keyword: their sentences, and the effect of following their hints."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgen.runtime.codec.codec import Codec

FIELDS = {name: {"type": "string"} for name in "abc"}
ONE_OF = {
    "type": "object",
    "properties": FIELDS,
    "additionalProperties": False,
    "oneOf": [{"required": [name]} for name in FIELDS],
}
ANY_OF = {"anyOf": ONE_OF["oneOf"]}
DRAFT_07 = {"$schema": "http://json-schema.org/draft-07/schema#"}
KIND = {"if": {"properties": {"k": {"const": "x"}}, "required": ["k"]}}
CIRCLE, SQUARE = (
    {"title": title, "properties": {"kind": {"const": kind}, size: {"type": "integer"}}, "required": ["kind", size]}
    for title, kind, size in (("Circle", "circle", "radius"), ("Square", "square", "side"))
)
SLOW = r"^((?=a)a+)+$"

SENTENCES: list[tuple[str, Any, Any, list[str]]] = [
    ("one_of, none", ONE_OF, {}, ["add exactly one of the fields `a` (string), `b` (string), `c` (string)"]),
    ("one_of, two", ONE_OF, {"a": "", "b": ""}, ["remove all but one of `a`, `b`"]),
    ("one_of, all", ONE_OF, {"a": "", "b": "", "c": ""}, ["remove all but one of `a`, `b`, `c`"]),
    ("any of fields", ANY_OF, {}, ["add at least one of the fields `a`, `b`, `c`"]),
    (
        "groups of fields",
        {"anyOf": [{"required": ["a", "b"]}, {"required": ["c"]}]},
        {},
        ["add the fields `a` and `b`, or the field `c`"],
    ),
    (
        "the rest of a group",
        {"anyOf": [{"required": ["a", "b"]}, {"required": ["c"]}]},
        {"a": 1},
        ["add at least one of the fields `b`, `c`"],
    ),
    (
        "groups of which several are complete",
        {"oneOf": [{"required": ["a", "b"]}, {"required": ["c"]}]},
        {"a": 1, "b": 1, "c": 1},
        ["remove fields until only one of these is complete: `a` and `b`; `c`"],
    ),
    (
        "objects, nothing given",
        {"oneOf": [CIRCLE, SQUARE]},
        {},
        [
            (
                'add the fields `kind` ("circle" or "square") and `radius` (integer), '
                'or the fields `kind` ("circle" or "square") and `side` (integer)'
            )
        ],
    ),
    ("a known kind", {"oneOf": [CIRCLE, SQUARE]}, {"kind": "square"}, ["add the field `side` (integer)"]),
    (
        "an unknown kind",
        {"oneOf": [CIRCLE, SQUARE]},
        {"kind": "cube", "side": 1},
        ['use exactly "circle" or exactly "square"'],
    ),
    (
        "only the kind is missing",
        {"anyOf": [{"properties": {"t": {"const": word}}, "required": ["t"]} for word in "ab"]},
        {},
        ['add the field `t` ("a" or "b")'],
    ),
    (
        "several of one, by title",
        {"oneOf": [{"title": "Even", "multipleOf": 2}, {"title": "Third", "multipleOf": 3}]},
        6,
        ["it fits Even and Third: change it so that it fits exactly one of them"],
    ),
    (
        "several of one, by type",
        {"oneOf": [{"type": "integer"}, {"type": "null"}, {"type": "number"}]},
        1,
        ["it fits alternative 1 (integer) and alternative 3 (number): change it so that it fits exactly one of them"],
    ),
    (
        "several of one, by reference",
        {"oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}], "$defs": {"A": {"minimum": 0}, "B": {"maximum": 9}}},
        5,
        ["it fits A and B: change it so that it fits exactly one of them"],
    ),
    (
        "several bounds",
        {"anyOf": [{"minimum": 5}, {"maximum": 2}]},
        3,
        ["use a number of at least 5 or a number of at most 2"],
    ),
    (
        "a nullable text",
        {"anyOf": [{"type": "string", "maxLength": 2}, {"type": "null"}]},
        "abc",
        ["use at most 2 characters"],
    ),
    ("no type fits", {"anyOf": [{"type": "string"}, {"type": "null"}]}, 3, ["use a string or null"]),
    ("not a field", {"not": {"required": ["a"]}}, {"a": 1}, ["remove the field `a`"]),
    (
        "not two fields",
        {"not": {"required": ["a", "b"]}},
        {"a": 1, "b": 1},
        ["remove at least one of the fields `a`, `b`"],
    ),
    (
        "none of some fields",
        {"not": {"anyOf": [{"required": [name]} for name in "abc"]}},
        {"a": 1, "c": 1},
        ["remove the fields `a`, `c`"],
    ),
    ("not some values", {"not": {"enum": [1, 2]}}, 1, ["use a value other than 1, 2"]),
    ("not a value", {"not": {"const": "x"}}, "x", ['use a value other than "x"']),
    ("not a type", {"not": {"type": ["string", "null"]}}, "x", ["use a value that is not a string or null"]),
    ("not a pattern", {"not": {"pattern": "^a"}}, "ab", ['use text that does not match the pattern "^a"']),
    ("not anything", {"properties": {"a": {"not": {}}}}, {"a": 1}, ["remove it: no value is allowed here"]),
    (
        "not a reference",
        {"not": {"$ref": "#/$defs/N"}, "$defs": {"N": {"type": "null"}}},
        None,
        ["use a value that is not null"],
    ),
    (
        "not something larger",
        {"not": {"properties": {"a": {"const": 1}}}},
        {"a": 1},
        ['change it so that it does not match {"properties": {"a": {"const": 1}}}'],
    ),
    (
        "dependentRequired",
        {"dependentRequired": {"a": ["b"], "c": ["b"], "d": ["b"]}, "properties": {"b": {"type": "integer"}}},
        {"a": 1},
        ["add the field `b` (integer), because `a` is given"],
    ),
    ("dependencies", {**DRAFT_07, "dependencies": {"a": ["b"]}}, {"a": 1}, ["add the field `b`, because `a` is given"]),
    (
        "dependentSchemas",
        {"dependentSchemas": {"a": {"required": ["b"], "minProperties": 3}}},
        {"a": 1},
        ["use at least 3 fields, because `a` is given", "add the field `b`, because `a` is given"],
    ),
    ("a field that forbids itself", {"dependentSchemas": {"a": False}}, {"a": 1}, ["remove the field `a`"]),
    ("then", {**KIND, "then": {"required": ["b"]}}, {"k": "x"}, ['add the field `b`, because `k` is "x"']),
    ("else", {**KIND, "else": {"required": ["c"]}}, {"k": "y"}, ['add the field `c`, because `k` is not "x"']),
    (
        "then, without the field",
        {"if": {"properties": {"k": {"enum": [1, 2]}}}, "then": {"required": ["b"]}},
        {},
        ["add the field `b`, because `k` is one of 1, 2 or not given"],
    ),
    (
        "then, of a field that is given",
        {"if": {"required": ["k"]}, "then": {"not": {"required": ["b"]}}},
        {"k": 1, "b": 1},
        ["remove the field `b`, because `k` is given"],
    ),
    (
        "else, of a field that is not given",
        {"if": {"required": ["k"]}, "else": {"required": ["b"]}},
        {},
        ["add the field `b`, because `k` is not given"],
    ),
    (
        "a condition that takes more words",
        {"if": {"minProperties": 1}, "then": {"required": ["b"]}},
        {"a": 1},
        ["add the field `b`"],
    ),
    (
        "fields with the names of keywords",
        {"properties": {"then": {"properties": {"dependencies": {"properties": {"type": {"type": "string"}}}}}}},
        {"then": {"dependencies": {"type": 1}}},
        ["use a string"],
    ),
    ("contains", {"contains": {"type": "integer"}}, ["a"], ["include at least 1 item of this kind: integer"]),
    ("minContains", {"contains": {"const": 1}, "minContains": 2}, [1], ["include at least 2 items of this kind: 1"]),
    ("maxContains", {"contains": {"const": 1}, "maxContains": 1}, [1, 1], ["include at most 1 item of this kind: 1"]),
    (
        "contains, of objects",
        {"contains": {"$ref": "#/$defs/A"}, "$defs": {"A": {"type": "object", "required": ["a"]}}},
        [{}],
        ['include at least 1 item of this kind: {"type": "object", "required": ["a"]}'],
    ),
    (
        "uniqueItems",
        {"uniqueItems": True},
        [1, True, "1", 1.0, {"a": [2], "b": 1}, {"b": 1.0, "a": [2]}],
        ["remove item 3 (it equals item 0) and item 5 (it equals item 4); items are counted from 0"],
    ),
    (
        "additionalProperties beside patterns",
        {"patternProperties": {"^x-": {}}, "properties": {"name": {}}, "additionalProperties": False},
        {"nmae": 1},
        ['remove `nmae` (did you mean `name`?): known fields are `name`, and names that match "^x-" are known'],
    ),
    (
        "a field that is there is not what was meant",
        {"properties": {"name": {}}, "additionalProperties": False},
        {"name": 1, "nmae": 1},
        ["remove `nmae`: known fields are `name`"],
    ),
    (
        "unevaluatedProperties",
        {
            "allOf": [{"$ref": "#/$defs/A"}],
            "properties": {"own": {}},
            "if": {"properties": {"c": {}}},
            "unevaluatedProperties": False,
            "$defs": {"A": {"properties": {"a": {}}}},
        },
        {"a": 1, "x": 1},
        ["remove `x`: known fields are `own`, `c`, `a`"],
    ),
    (
        "unevaluatedItems",
        {"prefixItems": [{}], "unevaluatedItems": False},
        [1, 2],
        ["remove the items that the schema does not describe"],
    ),
    (
        "additionalItems",
        {**DRAFT_07, "items": [{}], "additionalItems": False},
        [1, 2],
        ["send at most 1 item: the schema describes no more"],
    ),
    ("items after prefixItems", {"prefixItems": [{}], "items": False}, [1, 2], ["remove it: no value is allowed here"]),
    ("prefixItems", {"prefixItems": [{"type": "string"}, {"type": "integer"}]}, ["a", "b"], ["use an integer"]),
    (
        "propertyNames",
        {"propertyNames": {"maxLength": 1}},
        {"ab": 1},
        ["rename the field `ab`: its name must be at most 1 character"],
    ),
    ("propertyNames, none", {"propertyNames": False}, {"b": 1}, ["remove all fields: none is allowed here"]),
    (
        "a word in another case",
        {"enum": ["Open", "Closed"]},
        "OPEN",
        ['did you mean "Open"? use one of "Open", "Closed"'],
    ),
    ("a number in quotes", {"enum": [1, 2]}, "1", ["did you mean 1, without quotes? use one of 1, 2"]),
    ("a constant in quotes", {"const": True}, "true", ["did you mean true, without quotes? use exactly true"]),
    ("a word that is far off", {"enum": ["a", "b"]}, "zebra", ['use one of "a", "b"']),
    (
        "a field of an outer schema",
        {"allOf": [{"required": ["a"]}], "properties": FIELDS},
        {},
        ["add the field `a` (string)"],
    ),
    ("one item", {"minItems": 1}, [], ["use at least 1 item"]),
    ("nothing fits", False, 1, ["no value is allowed here"]),
    (
        "a pattern that takes too long",
        {"pattern": SLOW},
        "a" * 40 + "!",
        ["send a shorter or simpler text: the pattern takes too many steps for this one"],
    ),
    (
        "the same, under not",
        {"not": {"pattern": SLOW}},
        "a" * 40 + "!",
        ["send a shorter or simpler text: the pattern takes too many steps for this one"],
    ),
]


@pytest.mark.parametrize(
    ("schema", "value", "hints"), [each[1:] for each in SENTENCES], ids=[each[0] for each in SENTENCES]
)
def test_goa_16_the_hint_fits_the_case(schema: Any, value: Any, hints: list[str]) -> None:
    assert [issue.hint for issue in Codec.of(schema).check(value)] == hints


def test_a_one_of_issue_expects_every_allowed_field() -> None:
    for value in ({}, {"a": "", "b": ""}):
        (issue,) = Codec.of(ONE_OF).check(value)
        assert issue.keyword == "oneOf"
        assert re.findall("`(.)`", issue.expected) == ["a", "b", "c"]


def test_a_long_pointer_under_alternatives_is_explained() -> None:
    deep: Any = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    value: Any = 1
    for _ in range(40):
        deep, value = {"properties": {"f" * 20: deep}}, {"f" * 20: value}
    assert [issue.hint for issue in Codec.of(deep).check(value)] == ["use a string or null"]


names = st.sampled_from(["a", "b", "c", "then", "dependencies", "properties"])
some = st.lists(names, min_size=1, max_size=3, unique=True)
parts = st.one_of(
    some.map(lambda fields: {"required": fields}),
    some.map(lambda fields: {"oneOf": [{"required": [field]} for field in fields]}),
    some.map(lambda fields: {"anyOf": [{"required": [field]} for field in fields]}),
    some.map(lambda fields: {"not": {"required": fields}}),
    st.tuples(names, some).map(lambda each: {"dependentRequired": {each[0]: each[1]}}),
    st.tuples(names, some).map(lambda each: {"dependentSchemas": {each[0]: {"required": each[1]}}}),
    st.tuples(names, some).map(lambda each: {"if": {"required": [each[0]]}, "then": {"required": each[1]}}),
    some.map(lambda fields: {"properties": dict.fromkeys(fields, True), "additionalProperties": False}),
    some.map(lambda fields: {"allOf": [{"properties": dict.fromkeys(fields, True)}], "unevaluatedProperties": False}),
    some.map(lambda fields: {"propertyNames": {"enum": fields}}),
)
values = st.dictionaries(names, st.just(1), max_size=4)


def value_after_hint(hint: str, value: dict[str, int], choice: int) -> dict[str, int]:
    """Return the value after following a hint. If there are alternatives, `choice` selects one."""
    order = hint.partition(", because")[0].partition(": known")[0]
    fields = re.findall("`([a-z]+)`", order)
    one = fields[choice % len(fields)]
    if order.startswith(("add exactly one", "add at least one")):
        return {**value, one: 1}
    if order.startswith("add"):
        return {**value, **dict.fromkeys(fields, 1)}
    if order.startswith("remove all but one"):
        return {name: each for name, each in value.items() if name == one or name not in fields}
    if order.startswith("remove at least one"):
        return {name: each for name, each in value.items() if name != one}
    assert order.startswith(("remove", "rename")), hint
    return {name: each for name, each in value.items() if name not in fields[: 1 if "did you mean" in order else None]}


@settings(max_examples=4 * settings().max_examples)
@given(parts, values, st.integers(0, 5))
def test_following_a_hint_resolves_its_issue(schema: Any, value: dict[str, int], choice: int) -> None:
    follow_all_hints(schema, value, choice)


@pytest.mark.long
@settings(max_examples=4000)
@given(parts, values, st.integers(0, 5))
def test_following_hints_of_many_more_schemas(schema: Any, value: dict[str, int], choice: int) -> None:
    follow_all_hints(schema, value, choice)


def follow_all_hints(schema: Any, value: dict[str, int], choice: int) -> None:
    codec = Codec.of(schema)
    for _ in range(12):
        issues = codec.check(value)
        if not issues:
            return
        before = json.dumps([issues[0].pointer, issues[0].keyword, issues[0].expected])
        value = value_after_hint(issues[0].hint, value, choice)
        assert before not in [json.dumps([each.pointer, each.keyword, each.expected]) for each in codec.check(value)]
    pytest.fail(f"following the hints did not help: {schema}")
