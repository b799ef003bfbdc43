"""Disjoint: the time of comparing subschemas does not grow with the number of paths to them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.work import at_most_calls
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
