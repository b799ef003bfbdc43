"""WIRE of random schemas: where no change is harmful, no value is lost in args, and none is gained in results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.providers.schemas import args_schemas, values
from tests.unit.schema.comparison.edits import edited
from toolgen.changes.catalogs import compare_tools
from toolgen.changes.rules import RULES, Category, Level
from toolgen.changes.wire import compare_schemas

if TYPE_CHECKING:
    from random import Random

COMPATIBLE = (Level.COMPATIBLE, Level.CHANGE)
PLAIN = st.fixed_dictionaries(
    {
        "type": st.just("object"),
        "properties": st.dictionaries(
            st.sampled_from("abc"),
            st.sampled_from(
                [
                    True,
                    {},
                    {"type": "string"},
                    {"type": "integer"},
                    {"type": "integer", "minimum": 1},
                    {"enum": ["x", 1]},
                ]
            ),
        ),
        "required": st.lists(st.sampled_from("abc"), unique=True),
        "additionalProperties": st.sampled_from([True, False, {"type": "string"}, {"type": "integer"}]),
    }
)


def harmless(side: str, before: Any, after: Any) -> bool:
    found = compare_schemas("x", side, before, after, path=())
    return all(RULES[change.code].severity in COMPATIBLE for change in found)


def check(before: Any, after: Any, value: Any) -> None:
    was, now = (jsonschema_rs.validator_for(schema).is_valid(value) for schema in (before, after))
    if was and not now:
        assert not harmless("args", before, after)
    if now and not was:
        assert not harmless("result", before, after)


@settings(max_examples=150)
@given(data=st.data(), before=PLAIN, after=PLAIN)
def test_no_value_contradicts_a_verdict_on_plain_objects(data: st.DataObject, before: Any, after: Any) -> None:
    parts: list[Any] = ["x", "y", 0, 1, 1.5, None, []]
    check(before, after, data.draw(st.dictionaries(st.sampled_from("abcd"), st.sampled_from(parts), max_size=4)))


@settings(max_examples=25)
@given(data=st.data(), before=args_schemas(), random=st.randoms(use_true_random=False))
def test_no_value_contradicts_a_verdict_on_edited_schemas(data: st.DataObject, before: Any, random: Random) -> None:
    edit = edited(before, random)
    if edit is None:
        return
    check(before, edit.schema, data.draw(values(before, before)))
    check(edit.schema, before, data.draw(values(before, before)))


@pytest.mark.long
@settings(max_examples=1500, deadline=None)
@given(data=st.data(), before=args_schemas(), random=st.randoms(use_true_random=False))
def test_no_value_contradicts_a_verdict_on_many_schemas(data: st.DataObject, before: Any, random: Random) -> None:
    edit = edited(before, random)
    if edit is None:
        return
    check(before, edit.schema, data.draw(values(before, before)))
    check(edit.schema, before, data.draw(values(before, before)))


@settings(max_examples=25)
@given(before=args_schemas(), after=args_schemas())
def test_any_two_tools_are_compared_and_equal_ones_are_equal(before: Any, after: Any) -> None:
    tools = [{"args": args, "result": args, "description": "x"} for args in (before, after)]
    assert list(compare_tools("a.b", tools[0], tools[0])) == []
    for change in compare_tools("a.b", tools[0], tools[1]):
        assert change.category in Category
        assert change.diff().startswith(f"a.b: {change.message}")
