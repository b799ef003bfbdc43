"""Call builders: defaults in the signature, descriptions of args, and which values are sent."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.compiler.emit.generated import generate as generate
from tests.unit.compiler.specs import toolset

if TYPE_CHECKING:
    from types import ModuleType

    from tests.unit.compiler.emit.generated import Generate

ARGS = {
    "limit": {"type": "integer", "default": 10, "description": "How many.\nAt most 100."},
    "text": {"type": "string", "default": 'a "quoted" \\ text'},
    "half": {"type": ["number", "null"], "default": 0.5},
    "none": {"type": ["string", "null"], "default": None},
    "flag": {"type": "boolean", "default": False},
    "words": {"type": "array", "items": {"type": "string"}, "default": ["a"], "description": "Words."},
    "long": {"type": "array", "items": {"type": "string"}, "default": ["a" * 100]},
    "plain?": "string",
}


@pytest.fixture
def shop(generate: Generate) -> ModuleType:
    return import_module(f"{generate(toolset({'find': {'description': 'Find.', 'args': ARGS}}))}.tools.shop")


def test_a_signature_shows_immutable_defaults(shop: ModuleType) -> None:
    shown = {name: each.default for name, each in inspect.signature(shop.new_find_call).parameters.items()}

    assert {name: shown[name] for name in ("limit", "text", "half", "flag", "words", "long", "plain")} == {
        "limit": 10, "text": 'a "quoted" \\ text', "half": 0.5, "flag": False,
        "words": None, "long": None, "plain": None,
    }  # fmt: skip
    assert inspect.signature(shop.new_find_call).parameters["limit"].annotation == "int"


def test_a_docstring_names_the_tool_and_the_error(shop: ModuleType) -> None:
    text = "Build a call of `shop.find`. Raises InvalidPayload if the args do not fit the schema."
    assert inspect.getdoc(shop.new_find_call) == text


@pytest.mark.parametrize(
    ("args", "payload"),
    [
        ({}, b"{}"),
        ({"limit": 10, "text": 'a "quoted" \\ text', "half": 0.5, "flag": False}, b"{}"),
        ({"limit": 11, "flag": True, "half": None}, b'{"flag":true,"half":null,"limit":11}'),
        ({"none": None}, b'{"none":null}'),
        ({"words": ["a"], "half": 1}, b'{"half":1,"words":["a"]}'),
    ],
)
def test_values_equal_to_their_default_are_left_out(shop: ModuleType, args: dict[str, Any], payload: bytes) -> None:
    assert shop.new_find_call(**args).payload == payload


def test_defaults_are_sent_if_the_schema_depends_on_which_args_are_given(generate: Generate) -> None:
    args = {"a": {"type": "integer", "default": 1}, "b": {"type": "integer", "default": 2}}
    shop = import_module(f"{generate(toolset({'find': {'args': args, 'one_of': ['a', 'b']}}))}.tools.shop")

    assert shop.new_find_call(b=2).payload == b'{"b":2}'
    assert inspect.signature(shop.new_find_call).parameters["b"].default is None
