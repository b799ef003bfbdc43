"""Payloads: args of a call are restored to the form of the tool; hostile ones are refused, here or by the runtime."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.frames import after_frames
from toolgen.providers.protocol import NotRestored, OfferedTool
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
    ['{"v":1e400,"more":null}', '{"v":NaN,"more":null}', '{"v":-Infinity}', '{"v":' + "9" * 5000 + "}"],
)
def test_args_that_the_runtime_takes_for_no_json_are_left_unchanged_to_it(arguments: str) -> None:
    assert strict(TREE).restore("t", arguments) == arguments


@pytest.mark.parametrize("frames", [0, 300, 600, 850])
@pytest.mark.parametrize("levels", [1, 10, 40, 80, 100, 120, 130, 140, 150, 160, 180, 199, 250, 900, 3000])
def test_nested_args_are_restored_or_refused_and_never_left_as_they_were_sent(levels: int, frames: int) -> None:
    payload = strict(TREE)
    arguments = '{"v":null,"more":' * levels + "null" + "}" * levels
    meant = '{"more":' * (levels - 1) + "{}" + "}" * (levels - 1)
    refused = "the args: nest the value less deeply, or split it over several calls (found too many levels of nesting)"

    def restored() -> str | bytes:
        try:
            return payload.restore("t", arguments)
        except NotRestored as error:
            return str(error)

    assert after_frames(frames, restored) in ({meant} if levels <= 80 and not frames else {meant, refused})


HELD = strict({
    "type": "object", "additionalProperties": False, "required": ["a", "b"],
    "properties": {"a": {}, "b": {"type": "array", "items": {"type": "object"}}},
})  # fmt: skip


@pytest.mark.parametrize("frames", [0, 300, 600, 850])
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1e400", "the number is too large"),
        ('{"x":[NaN]}', "NaN is not JSON"),
        ('{"x":1,"x":1}', "the key 'x' is there twice"),
        ('[{"x":{"y":1,"z":1,"y":2}}]', "the key 'y' is there twice"),
        ("[" * 100_000 + "]" * 100_000, "too many levels of nesting"),
    ],
)
def test_json_text_that_the_runtime_would_refuse_is_refused_and_not_a_text(text: str, found: str, frames: int) -> None:
    for place, args in {"/a": {"a": text, "b": []}, "/b/1": {"a": "1", "b": ["{}", text]}}.items():
        with pytest.raises(NotRestored) as refused:
            after_frames(frames, partial(HELD.restore, "t", json.dumps(args)))
        assert (refused.value.pointer, refused.value.found) == (place, found)


@pytest.mark.parametrize("text", ["no json", "[1,", "1 2", ""])
def test_a_text_that_is_no_json_is_meant_as_it_is(text: str) -> None:
    assert json.loads(HELD.restore("t", json.dumps({"a": text, "b": []}))) == {"a": text, "b": []}


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
