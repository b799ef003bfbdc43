"""Checks in generated models: constraints, discriminators, named enums."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from tests.unit.compiler.emit.generated import generate as generate
from tests.unit.compiler.specs import toolset
from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.codec.exact_types import Doubt, compare_type_to_schema

if TYPE_CHECKING:
    from types import ModuleType

    from tests.unit.compiler.emit.generated import Generate

REFUND = {
    "order_id": {"type": "string", "minLength": 1, "pattern": "^[A-Z]+-[0-9]+$"},
    "id": {"type": "string", "maxLength": 3},
    "amount?": {"type": "number", "exclusiveMinimum": 0.5},
    "lines?": {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 0}},
    "reasons?": {"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 1},
}
GOOD = {"order_id": "ORD-1", "id": "abc"}
CAT = {"kind": {"const": "cat"}, "lives": "integer"}
DOG = {"kind": {"enum": ["dog", "wolf"]}, "name": "string"}
PETS = {"anyOf": [{"$ref": "#/types/Cat"}, {"$ref": "#/types/Dog"}]}


def package_of(generate: Generate, tool: dict[str, Any], **keys: Any) -> ModuleType:
    return import_module(f"{generate(toolset({'refund': tool}, **keys))}.tools.shop")


@pytest.mark.parametrize(
    "wrong",
    [
        {"order_id": ""}, {"order_id": "ord-1"}, {"id": "abcd"}, {"amount": 0.5}, {"amount": 0}, {"lines": []},
        {"lines": [-1]}, {"reasons": {"a": "b", "c": "d"}},
    ],
)  # fmt: skip
def test_a_model_refuses_on_construction_what_its_schema_refuses(generate: Generate, wrong: dict[str, Any]) -> None:
    shop = package_of(generate, {"args": REFUND})

    shop.RefundArgs(**GOOD)
    with pytest.raises(ValidationError):
        shop.RefundArgs(**{**GOOD, **wrong})
    with pytest.raises(InvalidPayload):
        shop.codecs.args(shop.REFUND).decode(json.dumps({**GOOD, **wrong}))


@pytest.mark.parametrize(
    "valid", [{"amount": 1}, {"amount": 0.75}, {"lines": [2.0]}, {"reasons": {}}, {"id": "\U0001f469\u200d\u2764"}]
)
def test_valid_values_are_decoded_and_encoded_unchanged(generate: Generate, valid: dict[str, Any]) -> None:
    shop = package_of(generate, {"args": REFUND})
    codec = shop.codecs.args(shop.REFUND)
    value = {**GOOD, **valid}

    assert json.loads(codec.encode(codec.decode(json.dumps(value)))) == value


SHORT, LONG = {"type": "string", "maxLength": 1}, {"type": "string", "minLength": 3}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "values"),
    [
        ([SHORT, LONG], ["", "abc"]),
        ([{"type": "array", "items": SHORT}, {"type": "array", "items": LONG}], [["a"], ["abc"]]),
        ([{"type": "integer", "minimum": 1}, {"type": "number", "maximum": -1}], [5, -1.5]),
        (
            [{"type": "object", "additionalProperties": LONG}, {"type": "object", "maxProperties": 0}],
            [{}, {"a": "abc"}],
        ),
    ],
)
def test_alternatives_of_one_type_lose_constraints_that_are_not_shared(
    generate: Generate, options: list[Any], values: list[Any]
) -> None:
    shop = package_of(generate, {"args": {"x": {"anyOf": options}}})
    codec = shop.codecs.args(shop.REFUND)

    for value in values:
        assert json.loads(codec.encode(codec.decode(json.dumps({"x": value})))) == {"x": value}


def test_a_class_that_checks_all_its_constraints_is_exact(generate: Generate) -> None:
    fields = {name: schema for name, schema in REFUND.items() if name in ("order_id", "id", "lines?")}
    types = {"Slug": {"type": "string", "minLength": 2}}
    shop = package_of(generate, {"args": {**fields, "slug": "Slug", "kind": {"const": "x"}}}, types=types)

    found = compare_type_to_schema(shop.codecs.args(shop.REFUND).schema, shop.RefundArgs)
    assert found is not None
    assert Doubt.NULL in found


def test_a_default_refused_by_its_constraints_is_ignored(generate: Generate) -> None:
    short = {"type": "string", "minLength": 2, "default": "a"}
    shop = package_of(generate, {"args": {"name?": short, "rows?": {"type": "array", "minItems": 1, "default": []}}})

    assert (shop.RefundArgs().name, shop.RefundArgs().rows) == (None, None)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"kind": "cat", "lives": 9}, "Cat"),
        ({"kind": "wolf", "name": "a"}, "Dog"),
        ({"kind": "dog", "name": ""}, "Dog"),
    ],
)
def test_classes_are_distinguished_by_a_constant_field(generate: Generate, value: dict[str, Any], name: str) -> None:
    shop = package_of(generate, {"args": {"pet": PETS}}, types={"Cat": CAT, "Dog": DOG})

    decoded = shop.codecs.args(shop.REFUND).decode(json.dumps({"pet": value}))

    assert shop.RefundArgs.model_fields["pet"].discriminator == "kind"
    assert type(decoded.pet) is getattr(shop, name)
    assert decoded == shop.RefundArgs(pet=decoded.pet)


def test_a_tree_of_such_classes_is_typed_at_every_level(generate: Generate) -> None:
    """Without a discriminator it is any JSON, because each level would double the time."""
    node = {"type!": {"const": "node"}, "below": [{"oneOf": [{"$ref": "#/types/Node"}, {"$ref": "#/types/Leaf"}]}]}
    shop = package_of(generate, {"args": {"root": "Node"}}, types={"Node": node, "Leaf": {"type!": {"const": "leaf"}}})
    value: dict[str, Any] = {"type": "leaf"}
    for _ in range(40):
        value = {"type": "node", "below": [value, {"type": "leaf"}]}

    decoded = shop.codecs.args(shop.REFUND).decode(json.dumps({"root": value}))

    assert type(decoded.root.below[0]) is shop.Node
    assert type(decoded.root.below[1]) is shop.Leaf
    assert json.loads(shop.codecs.args(shop.REFUND).encode(decoded)) == {"root": value}


@pytest.mark.parametrize(
    "types",
    [
        {"Cat": CAT, "Dog": {**DOG, "kind": {"enum": ["cat", "dog"]}}},
        {"Cat": CAT, "Dog": {"kind?": {"const": "dog"}, "name": "string"}},
        {"Cat": {**CAT, "kind": {"const": 1}}, "Dog": {**DOG, "kind": {"const": 2}}},
        {"Cat": CAT, "Dog": "string"},
        {"Cat": {"type": "object", "properties": {"class": {"const": "cat"}}, "required": ["class"]},
         "Dog": {"class": {"const": "dog"}}},
    ],
)  # fmt: skip
def test_a_field_that_two_classes_could_share_is_not_a_discriminator(generate: Generate, types: dict[str, Any]) -> None:
    """The last case: an open object could have an extra key `class_`, in which pydantic looks for `class`."""
    shop = package_of(generate, {"args": {"pet": PETS}}, types=types)

    assert shop.RefundArgs.model_fields["pet"].discriminator is None


def test_named_enums_are_one_type(generate: Generate) -> None:
    args = {
        "status": "Status",
        "all?": ["Status"],
        "or_null": {"anyOf": [{"$ref": "#/types/Status"}, {"type": "null"}]},
    }
    package = generate(toolset({"refund": {"args": args, "result": "Status"}}, types={"Status": {"enum": ["a", "b"]}}))
    shop = import_module(f"{package}.tools.shop")
    refund = import_module(f"{package}.tools.shop.refund")

    assert shop.RefundArgs.model_fields["status"].annotation is shop.Status
    assert refund.Status is shop.Status is shop.RefundResult
    assert refund.RefundArgs.__annotations__ == {
        "status": "Status", "all": "list[Status] | None", "or_null": "Status | None"
    }  # fmt: skip
