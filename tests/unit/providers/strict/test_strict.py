"""Strict schemas: every valid value survives the round trip, and exceptions are reported."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.unit.providers.schemas import args_schemas, values
from toolgen.providers.schema_dialects import CLAUDE_STRICT, OPENAI_STRICT, StrictDialect
from toolgen.providers.strict import Choice, Node, Projection, Reference, UnsupportedSchema, project
from toolgen.schema.references import at_steps, steps_to

if TYPE_CHECKING:
    from toolgen.providers.protocol import SchemaDifference

DIALECTS = {"openai": OPENAI_STRICT, "claude": CLAUDE_STRICT}
both = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
searching = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def object_schema(properties: dict[str, Any], required: list[str] | None = None, **others: Any) -> dict[str, Any]:
    """Return a closed object; all fields are required by default."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
        **others,
    }


def differences(projection: Projection) -> set[tuple[str, str, str]]:
    """Return the reported differences without the tool."""
    return {(each.pointer, each.keyword, each.effect) for each in projection.differences}


@both
@searching
@given(data=st.data())
def test_valid_args_can_be_sent_and_are_restored_exactly(dialect: StrictDialect, data: st.DataObject) -> None:
    schema = data.draw(args_schemas())
    value = data.draw(values(schema, schema))
    assume(jsonschema_rs.validator_for(schema).is_valid(value))
    projection = project("t", schema, dialect)
    assume(not projection.problems)
    sent, lost_at = sent_for(projection, value)
    if lost_at is not None:
        tighter = [each.pointer for each in projection.differences if each.effect == "tighter"]
        assert any(pointer.startswith(lost_at) for pointer in tighter), (schema, value, lost_at)
        return
    assert jsonschema_rs.validator_for(dict(projection.schema)).is_valid(sent), (projection.schema, sent)
    assert canonical(projection.restore(sent)) == canonical(value)


def sent_for(projection: Projection, value: Any) -> tuple[Any, str | None]:
    """Return the sent form of a value, or the location where that is impossible."""
    try:
        return projection.project(value), None
    except UnsupportedSchema as error:
        return None, str(error)


@both
@searching
@given(data=st.data())
def test_sent_args_are_valid_except_for_reported_differences(dialect: StrictDialect, data: st.DataObject) -> None:
    schema = data.draw(args_schemas())
    projection = project("t", schema, dialect)
    assume(not projection.problems)
    offered = dict(projection.schema)
    sent = data.draw(values(offered, offered))
    assume(jsonschema_rs.validator_for(offered).is_valid(sent))
    enforced = without(schema, projection.differences)
    assert jsonschema_rs.validator_for(enforced).is_valid(projection.restore(sent)), (enforced, sent)


def without(schema: dict[str, Any], differences: tuple[SchemaDifference, ...]) -> dict[str, Any]:
    """Return a schema without the assertions reported as not enforced."""
    enforced = deepcopy(schema)
    loose = [(each.pointer, each.keyword) for each in differences if each.effect == "looser"]
    for pointer, keyword in sorted(set(loose), key=lambda each: (-each[0].count("/"), each[1] == "")):
        holder: Any = {"": enforced}
        key: Any = ""
        for token in pointer.split("/")[1:]:
            holder = holder[key]
            key = int(token) if isinstance(holder, list) else token
        if keyword == "":
            holder[key] = True
        elif keyword == "oneOf":
            holder[key]["anyOf"] = holder[key].pop("oneOf")
        else:
            holder[key].pop(keyword)
    return enforced


def canonical(value: Any) -> str:
    """Return canonical JSON text of a value."""
    return json.dumps(value, sort_keys=True)


@both
@searching
@given(data=st.data())
def test_a_choice_sends_what_its_first_accepting_branch_sends(dialect: StrictDialect, data: st.DataObject) -> None:
    schema = data.draw(args_schemas())
    root = project("t", schema, dialect).root
    assume(root is not None)
    choices = [node for node in reached(root) if isinstance(node, Choice)]
    assume(choices)
    choice = data.draw(st.sampled_from(choices))
    value = data.draw(values(at_steps(schema, steps_to(f"#{choice.pointer}") or ()), schema))
    accepted = [sent for branch in choice.branches for sent in alone(branch, value) if branch.accepts(sent, {})]
    if accepted:
        assert canonical(choice.project(value, None)) == canonical(accepted[0])
    else:
        with pytest.raises(UnsupportedSchema):
            choice.project(value, None)


def alone(branch: Node, value: Any) -> list[Any]:
    """Return what a branch sends outside of its choice, at most one value."""
    try:
        return [branch.project(value, None)]
    except UnsupportedSchema:
        return []


def reached(root: Node | None) -> list[Node]:
    """Return the nodes below one, with the targets of references."""
    found: dict[int, Node] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node is not None and id(node) not in found:
            found[id(node)] = node
            waiting += [*node.children(), *([node.target] if isinstance(node, Reference) else [])]
    return [*found.values()]


def test_absent_fields_are_sent_as_null_and_restored_as_absent() -> None:
    schema = object_schema({"a": {"type": "string"}, "b": {"type": "integer"}}, ["a"])
    projection = project("t", schema, OPENAI_STRICT)
    assert projection.schema == object_schema({"a": {"type": "string"}, "b": {"type": ["integer", "null"]}})
    assert projection.project({"a": "x"}) == {"a": "x", "b": None}
    assert projection.restore({"a": "x", "b": None}) == {"a": "x"}
    assert projection.differences == ()


def test_claude_supports_optional_fields() -> None:
    schema = object_schema({"a": {"type": "string"}, "b": {"type": ["integer", "null"]}}, ["a"])
    projection = project("t", schema, CLAUDE_STRICT)
    assert projection.project({"a": "x"}) == {"a": "x"}
    assert projection.restore({"a": "x", "b": None}) == {"a": "x", "b": None}
    assert projection.differences == ()


def test_an_ambiguous_null_of_an_optional_field_is_reported() -> None:
    schema = object_schema({"a": {"type": ["string", "null"]}}, [])
    projection = project("t", schema, OPENAI_STRICT)
    assert differences(projection) == {("/properties/a", "type", "tighter")}
    with pytest.raises(UnsupportedSchema, match="/properties/a"):
        projection.project({"a": None})


def test_null_of_a_required_field_is_kept() -> None:
    projection = project("t", object_schema({"a": {"type": ["string", "null"]}}), OPENAI_STRICT)
    assert projection.restore({"a": None}) == {"a": None}
    assert projection.differences == ()


@both
def test_an_open_object_is_closed_and_reported(dialect: StrictDialect) -> None:
    projection = project("t", {"type": "object", "properties": {"a": {"type": "string"}}}, dialect)
    assert projection.schema["additionalProperties"] is False
    assert differences(projection) == {("", "additionalProperties", "tighter")}
    with pytest.raises(UnsupportedSchema):
        projection.project({"b": 1})


@both
@pytest.mark.parametrize(
    "beside", [{"additionalProperties": True}, {"$schema": "http://json-schema.org/draft-07/schema#"}]
)
def test_unevaluated_properties_have_no_effect_if_all_are_evaluated(
    beside: dict[str, Any], dialect: StrictDialect
) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], **beside}
    projection = project("t", {**schema, "unevaluatedProperties": False}, dialect)
    assert differences(projection) == {("", "additionalProperties", "tighter")}


@both
def test_an_open_object_is_closed_in_a_choice_too(dialect: StrictDialect) -> None:
    part = {"anyOf": [{"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}]}
    projection = project("t", object_schema({"a": part}), dialect)
    assert projection.project({"a": {"b": ""}}) == {"a": {"b": ""}}
    with pytest.raises(UnsupportedSchema, match="/properties/a"):
        projection.project({"a": {"b": "", "y": ""}})


@both
@pytest.mark.parametrize(
    "part",
    [
        {"type": "object"},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "patternProperties": {"^x": {}}},
        {"type": "array", "prefixItems": [{"type": "string"}]},
        {"properties": {"a": {"type": "string"}}},
        {"enum": [{"a": 1}]},
        {"allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "string"}}}]},
        {"type": "object", "properties": {}, "anyOf": [{"properties": {"b": {"type": "string"}}}]},
        {"$ref": "https://elsewhere/x.json"},
        {"$dynamicRef": "#x"},
        True,
    ],
)
def test_unsupported_structures_are_sent_as_json_text(part: Any, dialect: StrictDialect) -> None:
    projection = project("t", object_schema({"a": part}), dialect)
    assert differences(projection) == {("/properties/a", "", "looser")}
    offered = projection.schema["properties"]["a"]
    assert offered["type"] == "string"
    assert "JSON text" in offered["description"]
    value = {"b": [1, None, {"c": "é"}]}
    assert projection.restore(projection.project({"a": value})) == {"a": value}
    assert projection.restore({"a": "no json"}) == {"a": "no json"}


def test_json_text_is_described_with_all_referenced_definitions() -> None:
    schema = object_schema({"a": {"type": "object", "additionalProperties": {"$ref": "#/$defs/T"}}})
    projection = project("t", {**schema, "$defs": {"T": {"type": "integer"}}}, OPENAI_STRICT)
    assert '"$defs":{"T":{"type":"integer"}}' in projection.schema["properties"]["a"]["description"]


def test_unenforced_bounds_are_added_to_the_description() -> None:
    part = {"type": "string", "description": "A code.", "minLength": 3, "pattern": "^[A-Z]+$", "default": "ABC"}
    openai, claude = (project("t", object_schema({"a": part}), dialect) for dialect in DIALECTS.values())
    assert openai.schema["properties"]["a"] == {
        "type": "string",
        "description": 'A code. (JSON Schema: {"minLength":3,"default":"ABC"})',
        "pattern": "^[A-Z]+$",
    }
    assert differences(openai) == {("/properties/a", "minLength", "looser")}
    assert differences(claude) == {("/properties/a", "minLength", "looser"), ("/properties/a", "pattern", "looser")}


@pytest.mark.parametrize("pattern", ["^(?=a)", "(?<!b)a", r"(a)\1", "(?i)a"])
def test_patterns_with_lookaround_or_backreferences_move_to_the_description(pattern: str) -> None:
    projection = project("t", object_schema({"a": {"type": "string", "pattern": pattern}}), OPENAI_STRICT)
    assert "pattern" not in projection.schema["properties"]["a"]


def test_a_choice_of_objects_is_distinguished_by_its_constant_field() -> None:
    cat = object_schema({"kind": {"const": "cat"}, "lives": {"type": "integer"}}, ["kind"])
    dog = object_schema({"kind": {"const": "dog"}, "lives": {"type": ["integer", "null"]}})
    projection = project("t", object_schema({"pet": {"oneOf": [cat, dog]}}), OPENAI_STRICT)
    for pet in ({"kind": "cat"}, {"kind": "dog", "lives": None}):
        assert projection.restore(projection.project({"pet": pet})) == {"pet": pet}
    assert differences(projection) == {("/properties/pet", "oneOf", "looser")}


def test_an_ambiguous_choice_is_sent_as_json_text() -> None:
    one = object_schema({"a": {"type": "integer"}}, [])
    other = object_schema({"a": {"type": ["integer", "null"]}})
    projection = project("t", object_schema({"x": {"anyOf": [one, other]}}), OPENAI_STRICT)
    assert differences(projection) == {("/properties/x", "", "looser")}
    for value in ({}, {"a": None}):
        assert projection.restore(projection.project({"x": value})) == {"x": value}


def test_null_for_an_absent_field_is_not_mistaken_for_null_of_another_branch() -> None:
    one, other = object_schema({"a": {"type": "integer"}}, []), object_schema({"a": {"type": "null"}})
    for branches in ([one, other], [other, one]):
        projection = project("t", object_schema({"x": {"anyOf": branches}}), OPENAI_STRICT)
        for value in ({}, {"a": 1}, {"a": None}):
            assert projection.restore(projection.project({"x": value})) == {"x": value}


TREE = {
    **object_schema({"tree": {"$ref": "#/$defs/Tree"}}),
    "$defs": {
        "Tree": object_schema({"v": {"type": "integer"}, "left": {"$ref": "#/$defs/Tree"}}, ["v"]),
    },
}


def test_recursive_types_are_kept_if_supported_and_json_text_otherwise() -> None:
    openai, claude = (project("t", TREE, dialect) for dialect in DIALECTS.values())
    assert openai.schema["$defs"]["Tree"]["properties"]["left"] == {
        "anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "null"}]
    }
    assert claude.schema["$defs"]["Tree"]["properties"]["left"]["type"] == "string"
    value = {"tree": {"v": 1, "left": {"v": 2, "left": {"v": 3}}}}
    for projection in (openai, claude):
        assert projection.restore(projection.project(value)) == value


@both
@pytest.mark.parametrize(
    "definition",
    [{"$ref": "#/$defs/T"}, {"anyOf": [{"$ref": "#/$defs/T"}, {"type": "null"}]}, {"allOf": [{"$ref": "#/$defs/T"}]}],
)
def test_a_definition_that_only_refers_to_itself_does_not_hang(
    definition: dict[str, Any], dialect: StrictDialect
) -> None:
    schema = {**object_schema({"a": {"$ref": "#/$defs/T"}}), "$defs": {"T": definition}}
    projection = project("t", schema, dialect)
    assert projection.restore(projection.project({"a": None})) == {"a": None}


def test_a_root_that_is_only_a_reference_is_resolved() -> None:
    schema = {"$ref": "#/definitions/Args", "definitions": {"Args": object_schema({"a": {"type": "string"}})}}
    assert project("t", schema, OPENAI_STRICT).schema == object_schema({"a": {"type": "string"}})


def test_older_drafts_ignore_siblings_of_a_reference() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **object_schema({"a": {"$ref": "#/definitions/T", "minLength": 9, "description": "It."}}),
        "definitions": {"T": {"type": "string"}},
    }
    projection = project("t", schema, OPENAI_STRICT)
    assert projection.differences == ()
    assert projection.schema["properties"]["a"] == {"description": "It.", "anyOf": [{"$ref": "#/$defs/T"}]}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "object", "properties": {"a": {}}, "patternProperties": {"^x": {}}},
        {"anyOf": [object_schema({"a": {"type": "string"}}), object_schema({})]},
        {"type": ["object", "null"]},
    ],
)
def test_args_other_than_a_plain_object_are_a_problem(schema: dict[str, Any]) -> None:
    projection = project("shop__buy", schema, OPENAI_STRICT)
    assert [str(problem) for problem in projection.problems] == [
        "shop__buy: the args are not a plain object, which strict mode requires"
    ]
    assert projection.schema == {}


def deep(levels: int) -> dict[str, Any]:
    return object_schema({"a": deep(levels - 1) if levels > 1 else {"type": "string"}})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (deep(11), "has 11 levels of objects; strict mode accepts 10"),
        (
            object_schema({f"p{n}": {"type": "null"} for n in range(5001)}),
            "has 5001 properties; strict mode accepts 5000",
        ),
        (object_schema({"a": {"enum": list(range(1001))}}), "has 1001 values of enums; strict mode accepts 1000"),
        (
            object_schema({"a": {"enum": [f"{n:0100}" for n in range(251)]}}),
            "has 25100 characters of an enum of more than 250 values; strict mode accepts 15000",
        ),
        (
            object_schema({"a": {"const": "x" * 120_000}}),
            "has 120001 characters of names and fixed values; strict mode accepts 120000",
        ),
    ],
)
def test_openai_limits_the_schema_of_a_tool(schema: dict[str, Any], reason: str) -> None:
    assert [problem.reason for problem in project("t", schema, OPENAI_STRICT).problems] == [reason]


def test_a_schema_exactly_at_the_limits_is_accepted() -> None:
    assert project("t", deep(10), OPENAI_STRICT).problems == ()
    assert project("t", object_schema({"a": {"enum": list(range(1000))}}), OPENAI_STRICT).problems == ()


def test_a_forbidden_field_is_not_offered() -> None:
    projection = project("t", object_schema({"a": {"type": "string"}, "b": False}, ["a"]), OPENAI_STRICT)
    assert list(projection.schema["properties"]) == ["a"]
    assert projection.differences == ()
