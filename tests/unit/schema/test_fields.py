"""Fields of objects: one record for each, from which `TOOLS.md`, `show` and the site are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.case import write
from tests.unit.compiler import specs
from toolgen.compiler.compile import generate
from toolgen.runtime import load
from toolgen.schema.fields import bounds_of, defaults_of, fields_named, fields_of, resolved

if TYPE_CHECKING:
    from pathlib import Path

NAME = {"type": "string", "minLength": 1, "description": "A name."}
PRICE = {"$ref": "#/$defs/Price%20range"}
BASE = {"$ref": "#/$defs/Base"}
ROOT: dict[str, Any] = {
    "$defs": {
        "Price range": {"type": "number", "minimum": 0},
        "Base": {"description": "A base.", "properties": {"id": NAME}, "required": ["id"]},
        "Circle": {"$ref": "#/$defs/Circle"},
    }
}


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ({"properties": {"a": NAME}, "required": ["a"]}, [("a", True, ["minLength"])]),
        ({"properties": {"a": PRICE}}, [("a", False, ["minimum"])]),
        ({"properties": {"a": {**PRICE, "maximum": 9}}}, [("a", False, ["minimum", "maximum"])]),
        ({"allOf": [BASE], "properties": {"b": True}}, [("b", False, []), ("id", True, ["minLength"])]),
        ({"properties": {"a": {"$ref": "#/nowhere"}}}, [("a", False, [])]),
        ({"properties": {"a": {"$ref": "#/$defs/Circle"}}}, [("a", False, [])]),
        ({"patternProperties": {"^x": NAME}}, [("/^x/", False, ["minLength"])]),
        ({"required": ["a"]}, [("a", True, [])]),
        ({"properties": 3, "required": 4, "allOf": 5}, []),
        (True, []),
    ],
)
def test_fields_have_what_their_references_say(node: Any, expected: list[tuple[str, bool, list[str]]]) -> None:
    found = [(each.name, each.required, [name for name, _ in bounds_of(each.schema)]) for each in fields_of(node, ROOT)]
    assert found == expected


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"id": NAME}},
        BASE,
        {"type": "array", "items": BASE},
        {"anyOf": [{"type": "null"}, {"additionalProperties": BASE}]},
        {**PRICE, "properties": {"id": NAME}},
    ],
)
def test_the_fields_of_a_class_are_found_wherever_its_object_stands(schema: Any) -> None:
    assert fields_named(frozenset({"id"}), schema, ROOT)["id"].schema == NAME


def test_fields_that_no_object_has_are_not_found_and_circles_end() -> None:
    circle: dict[str, Any] = {"anyOf": [{"$ref": "#"}, {"$ref": "#/$defs/Circle"}], **ROOT}
    assert fields_named(frozenset({"other"}), circle, circle) == {}
    assert resolved({"$ref": "#/$defs/Circle"}, ROOT) == (True, "#/$defs/Circle")


@pytest.mark.parametrize(
    ("written", "described"), [(BASE, ""), ({**BASE, "description": "Own."}, "Own."), (NAME, "A name.")]
)
def test_a_description_is_that_of_the_field_and_not_of_a_named_type(written: Any, described: str) -> None:
    (field,) = fields_of({"properties": {"a": written}}, ROOT)
    assert field.description == described


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"default": 1}}},
        {"properties": {"a": {"$ref": "#/$defs/One"}}},
        {"properties": {"a": {"$ref": "#/$defs/Again"}}},
        {"properties": {"a": {"$ref": "#/$defs/Two", "default": 1}}},
        {"properties": {"a": True}, "allOf": [{"$ref": "#/$defs/WithOne"}]},
        {"allOf": [{"allOf": [{"properties": {"a": {"$ref": "#/$defs/One"}}}]}]},
        {"$ref": "#/$defs/WithOne"},
        {"$ref": "#/$defs/WithOne", "properties": {"a": {"default": 2}}},
        {"allOf": [{"allOf": [{"properties": {"a": {"default": 1}}}]}, {"properties": {"a": {"default": 2}}}]},
        {"allOf": [{"$ref": "#/$defs/WithOne"}], "properties": {"a": True}},
        {"properties": {"a": {"default": 1}}, "allOf": [{"properties": {"a": {"default": 2}}}]},
        {"$ref": "#/$defs/Circle", "properties": {"a": {"default": 1}}, "patternProperties": {"^b": {"default": 2}}},
    ],
)
def test_defaults_are_found_wherever_they_are_written(schema: Any) -> None:
    one = {"properties": {"a": {"default": 1}}}
    definitions = {"One": {"default": 1}, "Again": {"$ref": "#/$defs/One"}, "Two": {"default": 2}, "WithOne": one}
    assert defaults_of({**schema, "$defs": {**definitions, **ROOT["$defs"]}}) == {"a": 1}


SEVERAL = """
toolgen: 1
toolset: shop
types:
  One: {type: object, properties: {a: {type: integer, default: 1}}}
  Three: {type: integer, default: 3}
  Again: {$ref: "#/types/Three"}
tools:
  behind: {description: x, args: {type: object, properties: {a: {$ref: "#/types/Three"}}}}
  further: {description: x, args: {type: object, properties: {a: {$ref: "#/types/Again"}}}}
  own: {description: x, args: {a: {$ref: "#/types/Three", default: 4}}}
  second:
    description: x
    args: {type: object, properties: {a: {type: integer}}, allOf: [{$ref: "#/types/One"}]}
  beside: {description: x, args: {$ref: "#/types/One", properties: {a: {type: integer, default: 2}}}}
  below:
    description: x
    args: {type: object, properties: {a: {type: integer, default: 2}}, allOf: [{$ref: "#/types/One"}]}
"""


@pytest.mark.parametrize(
    ("tool", "value"), [("beside", 1), ("below", 2), ("behind", 3), ("further", 3), ("own", 4), ("second", 1)]
)
def test_of_several_defaults_the_one_that_a_handler_gets_is_found(
    tool: str, value: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "several_defaults", generate(specs.resolved(SEVERAL).catalog))
    monkeypatch.syspath_prepend(tmp_path)
    catalog = load("several_defaults")
    assert catalog.codec(f"shop.{tool}", "args").decode(b"{}").a == value
    assert defaults_of(catalog.definition(f"shop.{tool}").input_schema) == {"a": value}
