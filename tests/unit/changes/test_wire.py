"""WIRE of random schemas: where no change is harmful, no value is lost in args, and none is gained in results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.providers.schemas import args_schemas, values
from tests.unit.schema.comparison.edits import edited
from tests.work import assert_linear
from toolgen.changes.catalogs import compare_tools
from toolgen.changes.rules import RULES, Category, Level
from toolgen.changes.wire import compare_schemas

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

PARTS: list[Any] = [
    True,
    {},
    {"type": "string"},
    {"type": "integer"},
    {"type": "integer", "minimum": 1},
    {"enum": ["x", 1]},
]
OTHERS: list[Any] = [True, False, {"type": "string"}, {"type": "integer"}]
NAMES = st.sampled_from(["a", "b", "c", ""])
PLAIN_KEYWORDS = {
    "type": st.just("object"),
    "properties": st.dictionaries(NAMES, st.sampled_from(PARTS)),
    "required": st.lists(NAMES, unique=True),
    "additionalProperties": st.sampled_from(OTHERS),
}
PLAIN = st.fixed_dictionaries(PLAIN_KEYWORDS)
ONE_OF_THEM = st.lists(NAMES.map(lambda name: {"required": [name]}), min_size=2, max_size=2)
BESIDE = st.fixed_dictionaries(
    {"type": st.just("object")},
    optional={
        **{keyword: PLAIN_KEYWORDS[keyword] for keyword in ("properties", "required", "additionalProperties")},
        "unevaluatedProperties": st.sampled_from(OTHERS),
        "minProperties": st.integers(0, 2),
        "maxProperties": st.integers(1, 3),
        "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=1)),
        "propertyNames": st.sampled_from([{"enum": ["a", "b"]}, {"maxLength": 1}]),
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "c$"]), st.sampled_from(PARTS)),
        "anyOf": ONE_OF_THEM,
        "oneOf": ONE_OF_THEM,
        "allOf": st.lists(st.fixed_dictionaries({"properties": PLAIN_KEYWORDS["properties"]}), min_size=1, max_size=2),
        "not": NAMES.map(lambda name: {"required": [name]}),
    },
)
ANY: list[Any] = ["x", "y", 0, 1, 1.5, None, []]
VALUES = st.dictionaries(st.sampled_from(["a", "b", "c", "d", ""]), st.sampled_from(ANY), max_size=4)


def check(before: Any, after: Any, value: Any) -> None:
    """What a value shows must be told as breaking; of args, a note names a key that was not declared before."""
    was, now = (jsonschema_rs.validator_for(schema).is_valid(value) for schema in (before, after))
    if was == now:
        return
    told = list(compare_schemas("x", "args" if was else "result", before, after, path=()))
    is_breaking = any(RULES[change.code].severity is Level.BREAKING for change in told)
    undeclared = {name for change in told if change.code == "WIRE209" for name in change.after_path or ()}
    assert is_breaking or value.keys() & undeclared


@settings(max_examples=2 * settings().max_examples)
@given(data=st.data(), before=PLAIN, after=PLAIN)
def test_no_value_contradicts_a_verdict_on_plain_objects(data: st.DataObject, before: Any, after: Any) -> None:
    check(before, after, data.draw(VALUES))


def pair(before: Any, after: Any, kept: set[str]) -> tuple[Any, Any]:
    return before, {**after, **{keyword: before[keyword] for keyword in kept if keyword in before}}


RESTRICTED = st.builds(pair, BESIDE, BESIDE, st.sets(st.sampled_from(sorted(PLAIN_KEYWORDS))))


@settings(max_examples=4 * settings().max_examples)
@given(RESTRICTED, VALUES)
def test_no_value_contradicts_a_verdict_on_objects_that_keywords_beside_the_fields_restrict(
    schemas: tuple[Any, Any], value: Any
) -> None:
    check(*schemas, value)


@pytest.mark.long
@settings(max_examples=5_000, deadline=None)
@given(RESTRICTED, VALUES)
def test_no_value_contradicts_a_verdict_on_many_such_objects(schemas: tuple[Any, Any], value: Any) -> None:
    check(*schemas, value)


def test_an_arg_that_was_required_and_not_declared_is_no_undeclared_key() -> None:
    before: Any = {"type": "object", "required": ["id"]}
    after = {**before, "properties": {"id": {"type": "integer"}}}
    assert [change.code for change in compare_schemas("x", "args", before, after, path=())] == ["WIRE203"]
    optional = {"type": "object", "properties": {"id": {"type": "integer"}}}
    assert [change.code for change in compare_schemas("x", "args", before, optional, path=())] == ["WIRE208", "WIRE203"]
    assert [change.code for change in compare_schemas("x", "args", after, before, path=())] == ["WIRE208"]


@pytest.mark.parametrize("name", ["a", "", "."])
def test_an_arg_is_named_and_found_whatever_its_name(name: str) -> None:
    def told(before: Any, after: Any, side: str = "args") -> list[tuple[str, str, Any]]:
        changes = compare_schemas("x", side, before, after, path=())
        return [(each.code, each.message, (each.after_path or each.before_path or ())[:3]) for each in changes]

    none: Any = {"type": "object", "properties": {}}
    some: Any = {"type": "object", "properties": {name: {"type": "string"}}}
    place = ("args", "properties", name)
    assert told(none, some) == [("WIRE209", f"the undeclared key `{name}` is an arg now", place)]
    assert told(some, {**some, "required": [name]}) == [("WIRE201", f"the arg `{name}` is required now", place)]
    (gone,) = compare_schemas("x", "args", some, none, path=())
    assert (gone.code, gone.before_path) == ("WIRE210", place)
    assert told(some, {**none, "properties": {name: {"type": "integer"}}}) == [
        ("WIRE203", f"the arg `{name}` accepts fewer values", place)
    ]
    ((code, message, _),) = told({**some, "required": [name]}, some, "result")
    assert (code, message) == ("WIRE301", f"the field `{name}` of the result may be absent")
    inside: Any = {"type": "object", "properties": {"o": some}}
    ((code, message, _),) = (
        each for each in told(inside, {"type": "object", "properties": {"o": none}}) if each[0] == "WIRE210"
    )
    assert (code, f"`o.{name}`" in message) == ("WIRE210", True)


def test_a_note_explains_no_loss_of_other_keys_and_an_arg_that_is_refused_is_not_ignored() -> None:
    before: Any = {"type": "object", "properties": {"a": {}}, "unevaluatedProperties": False}
    after: Any = {"type": "object", "properties": {"b": {"type": "integer"}}, "unevaluatedProperties": False}
    assert [change.code for change in compare_schemas("x", "args", before, after, path=())] == ["WIRE207", "WIRE202"]
    before = {"type": "object", "properties": {"a": {}}, "propertyNames": {"enum": ["a", "b"]}}
    after = {"type": "object", "properties": {"b": {"type": "integer"}}, "propertyNames": {"enum": ["b"]}}
    assert [change.code for change in compare_schemas("x", "args", before, after, path=())] == ["WIRE209", "WIRE204"]


def test_a_field_that_another_part_of_its_schema_declares_is_not_gone() -> None:
    field: Any = {"properties": {"dry_run": {"type": "boolean"}}}
    before: Any = {"type": "object", **field}
    assert list(compare_schemas("x", "args", before, {"type": "object", "allOf": [field]}, path=())) == []


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


@settings(max_examples=settings().max_examples // 2)
@given(before=args_schemas(), after=args_schemas())
def test_any_two_tools_are_compared_and_equal_ones_are_equal(before: Any, after: Any) -> None:
    tools = [{"args": args, "result": args, "description": "x"} for args in (before, after)]
    assert list(compare_tools("a.b", tools[0], tools[0])) == []
    for change in compare_tools("a.b", tools[0], tools[1]):
        assert change.category in Category
        assert change.diff().startswith(f"a.b: {change.message}")


def with_definitions(count: int, changed: str = "") -> dict[str, Any]:
    """Return a tool whose args each refer to a definition, which refers to another; one has another description."""
    definitions: dict[str, Any] = {
        f"d{number}": {"description": f"A {number}.", "properties": {"n": {"$ref": f"#/$defs/d{number * 7 % count}"}}}
        for number in range(count)
    }
    if changed:
        definitions[changed] = {**definitions[changed], "description": "Another.", "maxProperties": 1}
    fields = {f"f{number}": {"$ref": f"#/$defs/d{number}"} for number in range(count)}
    return {"description": "A tool.", "args": {"type": "object", "properties": fields, "$defs": definitions}}


def test_a_change_of_a_definition_is_told_of_the_args_that_refer_to_it() -> None:
    """0 refers to itself, 1 to 2, 2 to 4, 4 to 3, and 3 to 1."""
    changes = list(compare_tools("a.b", with_definitions(5), with_definitions(5, "d3")))
    for code in ("WIRE203", "MODEL203", "MODEL207"):
        told = [each.message for each in changes if each.code == code]
        assert [sum(f"`f{number}`" in message for message in told) for number in range(5)] == [0, 1, 1, 1, 1], code


def test_tools_with_many_definitions_are_compared_in_linear_time() -> None:
    def work(count: int) -> Callable[[], object]:
        before, after = with_definitions(count), with_definitions(count, "d3")
        return lambda: list(compare_tools("a.b", before, after))

    assert_linear(work, 640)


MAPS: list[Any] = [
    {"type": "string"}, {"type": ["string", "null"]}, {"enum": ["a", 1]}, {"$ref": "#/$defs/T"}, {"type": "object"},
]  # fmt: skip
FIELDS: list[Any] = [{"type": "integer"}, {"type": "string"}, {"type": "string", "minLength": 2}, {"const": "a"}, {}]


@pytest.mark.parametrize("others", [*MAPS, True, {}, {"description": "Anything."}, {"$ref": "#/$defs/A"}, False])
@pytest.mark.parametrize("field", FIELDS)
def test_a_named_field_in_a_map_breaks_at_the_top_as_it_does_inside_but_for_keys_that_took_anything(
    others: Any, field: Any
) -> None:
    definitions = {"T": {"type": "string"}, "A": {}}
    before: Any = {"type": "object", "properties": {"q": {}}, "additionalProperties": others}
    after: Any = {**before, "properties": {"q": {}, "n": field}}

    def codes(one: Any, other: Any) -> set[str]:
        pair = ({**each, "$defs": definitions} for each in (one, other))
        return {change.code for change in compare_schemas("x", "args", *pair, path=())}

    at_top = codes(before, after)
    inside = codes(*({"type": "object", "properties": {"m": each}} for each in (before, after)))
    assert ("WIRE203" in at_top) is ("WIRE203" in inside and others in MAPS), (at_top, inside)
    assert ("WIRE209" in at_top) is ("WIRE203" in inside and others not in MAPS), (at_top, inside)
