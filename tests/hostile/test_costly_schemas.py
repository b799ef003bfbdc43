"""Schemas and values that would take a validator extremely long: refused on input, or when they are called."""

from __future__ import annotations

import json
from time import process_time
from typing import TYPE_CHECKING, Any

import pytest

from tests.hostile.building import compiled, toolset
from tests.unit.compiler.importers.importing import import_tools, tool
from tests.unit.schema.test_cost import EXPRESSION, LATTICES, lattice
from toolgen.runtime import Catalog, ToolDefinition
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.catalog.schema_profile import with_definitions_in_place
from toolgen.runtime.codec.codec import Codec
from toolgen.runtime.issues.example import _made_up, _TooLong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from toolgen.contract.records import Issue

SECONDS = 60.0
"""Seconds of processor time, for something that takes milliseconds. Without bounds it takes hours."""


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    begin = process_time()
    yield
    assert process_time() - begin < SECONDS


@pytest.mark.parametrize("step", LATTICES.values(), ids=LATTICES)
def test_a_build_refuses_a_lattice(step: Callable[[dict[str, str]], Any]) -> None:
    schema = {"type": "object", "properties": {"x": {"$ref": "#/$defs/T24"}}, "$defs": lattice(step)["$defs"]}
    for side in ({"args": schema}, {"result": schema}):
        assert {error.code for error in compiled({"a.json": toolset("shop", side)}).errors} == {"TG216"}


@pytest.mark.parametrize("profile", ["core", "full"])
@pytest.mark.parametrize("step", LATTICES.values(), ids=LATTICES)
def test_a_registration_refuses_a_lattice(step: Callable[[dict[str, str]], Any], profile: Any) -> None:
    schema = {"type": "object", "properties": {"x": {"$ref": "#/$defs/T24"}}, "$defs": lattice(step)["$defs"]}
    for args, result in ((schema, None), ({"type": "object"}, schema)):
        definition = ToolDefinition(name="a.b", description="x", input_schema=args, result_schema=result)
        with pytest.raises(CatalogError, match=r"_schema of a\.b cannot be used for validation: "):
            Catalog().register(definition, lambda _args, _meta: None, profile=profile)


REFUSED = r"the input_schema of a\.b (is nested more than|holds more than|cannot be used for validation: it )"


@pytest.mark.parametrize("schema", [{"x": [[]]}, {"allOf": [{}]}], ids=json.dumps)
def test_a_registration_refuses_schemas_that_are_too_deep_or_too_large(schema: dict[str, Any]) -> None:
    deep: Any = {}
    for _ in range(3_000):
        deep = {"items": deep}
    for given in ({**schema, "properties": {"a": deep}}, {**schema, "enum": [[]] * 200_000}):
        definition = ToolDefinition(name="a.b", description="x", input_schema={"type": "object", **given})
        with pytest.raises(
            CatalogError,
            match=REFUSED,
        ):
            Catalog().register(definition, lambda _args, _meta: None, profile="full")


@pytest.mark.parametrize(
    "step", [lambda ref: {"properties": {"a": ref, "b": ref}}, lambda ref: {"prefixItems": [ref, ref]}]
)
def test_definitions_are_inlined_only_if_the_schema_stays_small(step: Callable[[dict[str, str]], Any]) -> None:
    small, large, long = (
        {"properties": {"x": {"$ref": made.pop("$ref")}}, **made}
        for made in (lattice(step, 3), lattice(step), lattice(lambda ref: {"items": ref}, 2_000))
    )
    assert "$ref" not in json.dumps(with_definitions_in_place(small))
    assert with_definitions_in_place(large) == large
    assert with_definitions_in_place(long) == long


def test_an_example_is_generated_only_if_it_is_short() -> None:
    schema: Any = {"type": "integer"}
    for _ in range(12):
        schema = {"type": "array", "minItems": 20, "items": schema}
    with pytest.raises(_TooLong):
        _made_up(schema)
    assert _made_up({"type": "array", "minItems": 3, "items": {"type": "integer"}})[0] == [1, 1, 1]


def nested(levels: int, leaf: Any, **fields: Any) -> Any:
    for _ in range(levels):
        leaf = {**fields, "a": leaf}
    return leaf


TWICE = {
    "$ref": "#/$defs/T",
    "$defs": {
        "T": {
            "anyOf": [
                {"type": "object", "properties": {"a": {"$ref": "#/$defs/T"}}, "minProperties": 5},
                {"type": "object", "properties": {"a": {"$ref": "#/$defs/T"}}, "required": ["a"]},
                {"type": "boolean"},
            ]
        }
    },
}


@pytest.mark.parametrize("leaf", [True, "x"])
def test_a_value_that_could_take_too_long_is_refused(leaf: Any) -> None:
    codec = Codec.of(TWICE)
    assert codec.check(nested(3, True)) == ()
    assert codec.check(nested(3, "x"))
    (issue,) = codec.check(nested(60, leaf))
    assert (issue.pointer, issue.keyword) == ("", "schema")
    assert issue.hint == "nest the value less deeply, or split it over several calls"


def test_a_result_that_could_take_too_long_is_refused() -> None:
    assert Codec.of(TWICE).normalize(nested(3, True))[0] == nested(3, True)
    with pytest.raises(ValueError, match="nest the value less deeply"):
        Codec.of(TWICE).normalize(nested(60, True))


def expression(levels: int, leaf: Any) -> Any:
    for level in range(levels):
        leaf = {"op": ("and", "or")[level % 2], "args": [leaf]}
    return leaf


def test_a_value_with_too_many_alternatives_is_refused_without_a_list() -> None:
    codec = Codec.of(EXPRESSION)
    assert codec.check(expression(12, True)) == ()
    assert [issue.pointer for issue in codec.check(expression(2, "x"))] == ["/args/0/args/0"]
    (issue,) = codec.check(expression(12, "x"))
    assert "too large to list the errors" in issue.hint


def first_of(schema: Any, value: Any) -> list[Issue]:
    return list(Codec.of(schema).check(value))


def test_errors_that_each_copy_a_large_value_are_not_all_listed() -> None:
    large = {f"k{number}": "x" for number in range(20_000)}
    issues = first_of({"required": [f"a{number}" for number in range(5_000)]}, large)
    assert [issue.hint for issue in issues] == ["add the field `a0`"]


def test_errors_that_each_copy_many_options_are_not_all_listed() -> None:
    options = [f"option-{number}" for number in range(20_000)]
    assert len(first_of({"items": {"enum": options}}, ["x"] * 5_000)) == 1


def test_all_errors_of_a_small_value_are_listed() -> None:
    schema = {"items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}
    assert len(first_of(schema, [1] * 15)) == 15


def test_a_pattern_with_exponential_time_is_bounded_and_fails_closed() -> None:
    slow, text = r"^((?=a)a+)+$", "a" * 60 + "!"
    for schema in ({"pattern": slow}, {"not": {"pattern": slow}}, {"if": {"pattern": slow}, "then": False}):
        assert [issue.keyword for issue in first_of(schema, text)] == ["pattern"]
    assert {issue.keyword for issue in first_of({"items": {"pattern": slow}}, [text] * 30)} == {"pattern"}
    many = first_of(
        {"items": {"anyOf": [{"pattern": slow}, {"type": "string"}]}}, [f"{'a' * n}!" for n in range(60, 90)]
    )
    assert [issue.hint for issue in many] == [
        "send a shorter or simpler text: the pattern takes too many steps for this one"
    ]
    step_back_at_each_character = {"pattern": r"^(?:(?!\.\.).)*$"}
    assert first_of(step_back_at_each_character, "a" * 40_000) == []
    assert first_of(step_back_at_each_character, "a" * 200_000)[0].hint.startswith("send a shorter or simpler text")
    assert first_of({"pattern": r"^(a+)+$"}, text)[0].hint == 'use text that matches the pattern "^(a+)+$"'


def test_patterns_that_are_too_large_together_are_refused() -> None:
    def schema(count: int) -> dict[str, Any]:
        fields = {
            f"f{number}": {"type": "string", "pattern": rf"^\p{{L}}{{{90 + number}}}$"} for number in range(count)
        }
        return {"type": "object", "properties": fields}

    assert compiled({"a.json": toolset("shop", {"args": schema(2)})}).errors == []
    definition = ToolDefinition(name="a.b", description="x", input_schema=schema(300))
    with pytest.raises(CatalogError, match="is not a valid JSON Schema"):
        Catalog().register(definition, lambda _args, _meta: None, profile="full")


def test_a_default_and_an_example_that_could_take_too_long_are_reported() -> None:
    deep, types = nested(60, True), TWICE["$defs"]
    text = json.dumps(types).replace("#/$defs", "#/types")
    spec = toolset(
        "shop",
        {
            "args": {"type": "object", "properties": {"x": {"$ref": "#/types/T", "default": deep}}},
            "examples": [{"args": {"x": deep}}],
        },
        types=json.loads(text),
    )
    found = compiled({"a.json": spec}).findings
    assert [(each.code, "more than 1,000,000 steps" in each.message) for each in found] == [
        ("TG208", True),
        ("TG209", True),
    ]


def test_an_import_leaves_out_a_tool_with_a_lattice() -> None:
    schema = {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/T24"}},
        "$defs": lattice(LATTICES["allOf"])["$defs"],
    }
    imported = import_tools(tool("costly", schema), tool("plain", {"type": "object", "properties": {}}))
    assert list(imported.tools) == ["plain"]
    assert [message for message in imported.messages if "TG805" in message and "10,000 schemas" in message]
