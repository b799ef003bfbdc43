"""Payloads: args of a call get back to what the tool takes, and hostile ones are left for the runtime to refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from toolgen.providers.messages import OfferedTool
from toolgen.providers.table import provider_payload

if TYPE_CHECKING:
    from toolgen.providers.protocol import Payload

FREE = {"type": "object", "properties": {"k": {"type": "string"}}, "additionalProperties": False}
TREE = {
    "type": "object",
    "properties": {"v": {"anyOf": [{"type": "integer"}, FREE]}, "more": {"$ref": "#"}},
    "additionalProperties": False,
}


def strict(args: dict[str, Any]) -> Payload:
    """One tool `t`, in OpenAI's strict mode."""
    payload = provider_payload("openai-strict", [OfferedTool(name="t", description="It.", args=args)])
    assert payload.problems == ()
    return payload


@pytest.mark.parametrize(
    "arguments",
    ['{"v":1e400,"more":null}', '{"v":NaN,"more":null}', '{"v":-Infinity}', '{"v":' + "9" * 5000 + "}", "[" * 100_000],
)
def test_what_is_no_finite_json_is_left_as_it_is(arguments: str) -> None:
    assert strict(TREE).restore("t", arguments) == arguments


@pytest.mark.parametrize("levels", [250, 900, 3000])
def test_args_that_are_nested_deep_do_not_raise(levels: int) -> None:
    arguments = '{"v":null,"more":' * levels + "null" + "}" * levels
    assert strict(TREE).restore("t", arguments) in (arguments, _without_nulls(levels))


def _without_nulls(levels: int) -> str:
    return '{"more":' * (levels - 1) + "{}" + "}" * (levels - 1)


def test_numbers_that_are_not_finite_do_not_come_out_of_json_text() -> None:
    payload = strict({"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": False})
    assert payload.restore("t", '{"a":"1e400"}') == '{"a":"1e400"}'
    assert payload.restore("t", '{"a":"[NaN]"}') == '{"a":"[NaN]"}'


def test_args_of_which_nothing_is_undone_keep_every_digit() -> None:
    payload = strict({"type": "object", "properties": {"a": {"type": "number"}}, "additionalProperties": False})
    arguments = '{ "a": 12345678901234567890.5 }'
    assert payload.restore("t", arguments) == arguments


def test_a_pattern_of_a_spec_is_not_run_on_what_a_model_wrote() -> None:
    branches = [{"type": "string", "pattern": "^(a+)+$"}, FREE]
    args = {"type": "object", "properties": {"a": {"anyOf": branches}}, "additionalProperties": False}
    arguments = '{"a":"' + "a" * 100 + '!"}'
    assert strict(args).restore("t", arguments) == arguments


def test_branches_that_differ_by_a_pattern_alone_are_json_text() -> None:
    branches = [
        {"type": "object", "properties": {"k": {"type": "string", "pattern": p}, "o": {}}, "required": ["k"],
         "additionalProperties": False}
        for p in ("^a", "^b")
    ]  # fmt: skip
    payload = strict({"type": "object", "properties": {"x": {"anyOf": branches}}, "additionalProperties": False})
    assert [(each.pointer, each.keyword) for each in payload.differences] == [("/properties/x", "")]
