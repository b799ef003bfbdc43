"""Disjoint: the time of comparing subschemas does not grow with the number of paths to them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.work import at_most_calls
from toolgen.providers import strict
from toolgen.providers.schema_dialects import CLAUDE_STRICT, OPENAI_STRICT, StrictDialect
from toolgen.providers.strict import UnsupportedSchema, project


def closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def ladder(levels: int) -> dict[str, Any]:
    """Return types with three references each to the next."""

    def rung(number: int) -> dict[str, Any]:
        following = {"$ref": f"#/$defs/D{number + 1}"}
        return closed({"items": {"anyOf": [following, {"type": "array", "items": following}]}, "l": following})

    last = {f"D{levels}": {**closed({"x": {"type": "string"}, "free": {}}), "required": ["x"]}}
    definitions = {f"D{number}": rung(number) for number in range(levels)} | last
    return {**closed({"a": {"$ref": "#/$defs/D0"}}), "$defs": definitions}


@pytest.mark.parametrize("dialect", [OPENAI_STRICT, CLAUDE_STRICT], ids=["openai", "claude"])
@pytest.mark.parametrize("levels", [19, 30])
def test_types_with_three_references_to_the_next_are_compared_quickly(levels: int, dialect: StrictDialect) -> None:
    with at_most_calls(1_000_000):
        projection = project("t", ladder(levels), dialect)
        assert projection.problems == ()
        projection.restore({"a": {"items": [{"items": [], "l": None}], "l": {"items": {}, "l": {}}}})


@pytest.mark.parametrize("levels", [40, 200])
def test_too_long_chains_of_types_are_reported_quickly(levels: int) -> None:
    with at_most_calls(1_000_000):
        problems = project("t", ladder(levels), OPENAI_STRICT).problems
    assert [problem.reason for problem in problems] == ["is nested more than 100 levels deep"]


def test_shared_args_of_many_branches_are_compared_once() -> None:
    branches = [closed({"more": {"$ref": "#/$defs/N"}, "kind": {"const": kind}}) for kind in "ab"]
    several = {"anyOf": [*branches, {"type": "null"}]}
    node = {"type": "object", "properties": {"n": several, "free": {}}, "additionalProperties": False}
    projection = project("t", {**closed({"a": {"$ref": "#/$defs/N"}}), "$defs": {"N": node}}, OPENAI_STRICT)
    assert projection.problems == ()
    sent: Any = {"n": None, "free": "1"}
    value: Any = {"free": 1}
    for _ in range(30):
        sent = {"n": {"more": sent, "kind": "b"}, "free": None}
        value = {"n": {"more": value, "kind": "b"}}
    with at_most_calls(100_000):
        assert projection.restore({"a": sent}) == {"a": value}


@pytest.mark.parametrize("levels", [10, 40])
def test_a_value_in_nested_choices_is_sent_in_proportion_to_its_depth(levels: int) -> None:
    branches = [closed({"next": {"$ref": "#/$defs/N"}, "kind": {"const": kind}}) for kind in "abc"]
    chain = {"anyOf": [{"type": "null"}, *branches]}
    projection = project("t", {**closed({"a": {"$ref": "#/$defs/N"}}), "$defs": {"N": chain}}, OPENAI_STRICT)
    value: Any = None
    for _ in range(levels):
        value = {"kind": "c", "next": value}
    with at_most_calls(400 * levels):
        assert projection.project({"a": value}) == {"a": value}
        with pytest.raises(UnsupportedSchema):
            projection.project({"a": {"kind": "none", "next": value}})


def test_recursive_comparisons_count_as_not_disjoint() -> None:
    branch = {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "array", "items": {"type": "string"}}]}
    one, other = closed({"v": branch, "free": {}}), closed({"v": branch, "free": {"type": "string"}})
    schema = {**closed({"a": {"anyOf": [{"$ref": "#/$defs/N"}, other]}}), "$defs": {"N": one}}
    projection = project("t", schema, OPENAI_STRICT)
    assert projection.schema["properties"]["a"]["type"] == "string"
    value = {"a": {"v": ["x"], "free": 1}}
    assert projection.restore(json.loads(json.dumps(projection.project(value)))) == value
    with pytest.raises(UnsupportedSchema):
        projection.project({"b": 1})


@pytest.mark.parametrize("value", [7, 7.0, {"x": "a"}])
def test_a_value_of_a_choice_is_sent_by_the_branch_that_accepts_it(value: Any) -> None:
    partial = {"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": False}
    choice = {"anyOf": [{"const": 3}, {"type": "integer"}, partial]}
    projection = project("t", closed({"a": choice}), OPENAI_STRICT)
    assert projection.project({"a": value}) == {"a": value}
    assert projection.restore({"a": value}) == {"a": value}
    with pytest.raises(UnsupportedSchema):
        projection.project({"a": 7.5})


def kinds(*values: Any, **more: Any) -> dict[str, Any]:
    """Return a choice of objects, each with an optional field, one fixed value of `kind`, and more fields."""
    branches = [
        {**closed({"kind": {"const": each}, "n": {"type": "integer"}, **more}), "required": ["kind"]} for each in values
    ]
    return closed({"x": {"anyOf": branches}})


def test_many_objects_with_a_field_that_tells_them_apart_are_not_compared_in_pairs() -> None:
    with at_most_calls(300_000):
        projection = project("t", kinds(*(f"k{number}" for number in range(600))), OPENAI_STRICT)
    assert len(projection.schema["properties"]["x"]["anyOf"]) == 600
    for value in ({"kind": "k0"}, {"kind": "k599", "n": 1}):
        assert projection.restore(projection.project({"x": value})) == {"x": value}


def test_many_objects_that_only_pairs_would_tell_apart_are_sent_as_text() -> None:
    branches = [
        {**closed({f"f{number}": {"type": "string"}, "n": {"type": "integer"}}), "required": [f"f{number}"]}
        for number in range(600)
    ]
    with at_most_calls(300_000):
        projection = project("t", closed({"x": {"anyOf": branches}}), OPENAI_STRICT)
    assert projection.schema["properties"]["x"]["type"] == "string"
    for value in ({"f0": "a"}, {"f599": "b", "n": 1}):
        assert projection.restore(projection.project({"x": value})) == {"x": value}


@pytest.mark.parametrize(
    "values", [("a", "b"), (1, 2), (1, 1.0), (True, 1), (False, 0.0), ("1", 1), (None, "a"), ("a", "a")]
)
@pytest.mark.parametrize("dialect", [OPENAI_STRICT, CLAUDE_STRICT], ids=["openai", "claude"])
def test_a_field_tells_apart_what_pairs_tell_apart(
    values: tuple[Any, Any], dialect: StrictDialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = kinds(*values)
    found = project("t", schema, dialect).schema
    monkeypatch.setattr(strict, "_has_discriminator", lambda _objects: False)
    assert project("t", schema, dialect).schema == found
