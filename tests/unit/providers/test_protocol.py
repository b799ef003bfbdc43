"""Payloads: args of a call are restored to the form of the tool, and hostile ones are left to the runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from toolgen.providers.protocol import OfferedTool
from toolgen.providers.table import provider_payload

if TYPE_CHECKING:
    from toolgen.providers.protocol import ToolPayload

FREE = {"type": "object", "properties": {"k": {"type": "string"}}, "additionalProperties": False}
TREE = {
    "type": "object",
    "properties": {"v": {"anyOf": [{"type": "integer"}, FREE]}, "more": {"$ref": "#"}},
    "additionalProperties": False,
}


def strict(args: dict[str, Any]) -> ToolPayload:
    """Return the protocol for one tool `t` in OpenAI's strict mode."""
    payload = provider_payload("openai-strict", [OfferedTool(name="t", description="It.", args=args)])
    assert payload.problems == ()
    return payload


@pytest.mark.parametrize(
    "arguments",
    ['{"v":1e400,"more":null}', '{"v":NaN,"more":null}', '{"v":-Infinity}', '{"v":' + "9" * 5000 + "}", "[" * 100_000],
)
def test_non_finite_json_is_left_unchanged(arguments: str) -> None:
    assert strict(TREE).restore("t", arguments) == arguments


@pytest.mark.parametrize("levels", [250, 900, 3000])
def test_deeply_nested_args_do_not_raise(levels: int) -> None:
    arguments = '{"v":null,"more":' * levels + "null" + "}" * levels
    assert strict(TREE).restore("t", arguments) in (arguments, _without_nulls(levels))


def _without_nulls(levels: int) -> str:
    return '{"more":' * (levels - 1) + "{}" + "}" * (levels - 1)


def test_json_text_gives_no_non_finite_numbers() -> None:
    payload = strict({"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": False})
    assert payload.restore("t", '{"a":"1e400"}') == '{"a":"1e400"}'
    assert payload.restore("t", '{"a":"[NaN]"}') == '{"a":"[NaN]"}'


def test_args_without_conversion_keep_every_digit() -> None:
    payload = strict({"type": "object", "properties": {"a": {"type": "number"}}, "additionalProperties": False})
    arguments = '{ "a": 12345678901234567890.5 }'
    assert payload.restore("t", arguments) == arguments


def test_a_pattern_of_a_spec_is_not_evaluated_on_model_output() -> None:
    branches = [{"type": "string", "pattern": "^(a+)+$"}, FREE]
    args = {"type": "object", "properties": {"a": {"anyOf": branches}}, "additionalProperties": False}
    arguments = '{"a":"' + "a" * 100 + '!"}'
    assert strict(args).restore("t", arguments) == arguments


def test_branches_that_differ_only_by_a_pattern_are_json_text() -> None:
    branches = [
        {"type": "object", "properties": {"k": {"type": "string", "pattern": p}, "o": {}}, "required": ["k"],
         "additionalProperties": False}
        for p in ("^a", "^b")
    ]  # fmt: skip
    payload = strict({"type": "object", "properties": {"x": {"anyOf": branches}}, "additionalProperties": False})
    assert [(each.pointer, each.keyword) for each in payload.differences] == [("/properties/x", "")]
