"""Args that cannot be read with certainty are invalid at each provider, in a stream or not: the tool does not run."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.frames import after_frames
from tests.unit.llm.tool_use.streams import EVENTS
from tests.unit.runtime.responses import RESPONSES
from toolgen.llm import ToolUse
from toolgen.providers.table import PROVIDERS, provider
from toolgen.runtime import Catalog, Runtime, ToolDefinition, allow_all

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolgen.llm.presentations.protocol import Turn

NODE = {
    "type": "object",
    "properties": {
        "k": {"type": "integer"},
        "a": {"$ref": "#/$defs/node"},
        "l": {"type": "array", "items": {"$ref": "#/$defs/node"}},
        "any": {},
    },
    "additionalProperties": False,
}
ARGS = {**NODE, "$defs": {"node": NODE}}


class Host:
    """A tool that keeps the args it was called with."""

    def __init__(self) -> None:
        self.got: list[Any] = []
        self.catalog = Catalog()
        definition = ToolDefinition(name="own.tool", description="It.", input_schema=ARGS, permission="readonly")
        self.catalog.register(definition, self.got.append, profile="full")
        self.runtime = Runtime(self.catalog, permission=allow_all)

    async def take(self, name: str, response: Mapping[str, Any]) -> Turn:
        return (
            await ToolUse(self.catalog)
            .conversation("chat", self.runtime, self.runtime.start_run(), name)
            .take(response)
        )


def _openai(text: str) -> dict[str, Any]:
    response = RESPONSES["openai"]("", [("c1", "own__tool", {})])
    response["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = text
    return response


def _openai_responses(text: str) -> dict[str, Any]:
    response = RESPONSES["openai-responses"]("", [("c1", "own__tool", {})])
    response["output"][-1]["arguments"] = text
    return response


def _streamed(api: str, response: Mapping[str, Any]) -> dict[str, Any]:
    return _joined(api, list(EVENTS[api](response)))


def _anthropic_stream(text: str) -> dict[str, Any]:
    events = list(EVENTS["anthropic"](RESPONSES["anthropic"]("", [("c1", "own__tool", {})])))
    places = [place for place, event in enumerate(events) if event.get("delta", {}).get("type") == "input_json_delta"]
    events[places[0]]["delta"]["partial_json"] = text
    return _joined("anthropic", [event for place, event in enumerate(events) if place not in places[1:]])


def _joined(api: str, events: list[dict[str, Any]]) -> dict[str, Any]:
    reader = provider(api).stream_reader()
    for event in events:
        reader.add(event)
    return reader.response()


TEXTS: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "openai": _openai,
    "openai, streamed": lambda text: _streamed("openai", _openai(text)),
    "openai-responses": _openai_responses,
    "openai-responses, streamed": lambda text: _streamed("openai-responses", _openai_responses(text)),
    "anthropic, streamed": _anthropic_stream,
}
"""How each API whose args are text returns one, as whole responses and as streams."""

DOORS = [
    (name, create)
    for name in PROVIDERS
    for how, create in TEXTS.items()
    if name.removesuffix("-strict") == how.partition(",")[0]
]


def around(depth: int, inner: str) -> str:
    """Return the JSON text of args with an object so many levels down, in objects and in lists by turns."""
    for level in range(depth):
        inner = f'{{"a":{inner}}}' if level % 2 else f'{{"l":[{inner}]}}'
    return inner


def test_all_apis_with_args_as_text_are_here() -> None:
    assert {name for name, _ in DOORS} == {
        "openai", "openai-strict", "openai-responses", "openai-responses-strict", "anthropic", "anthropic-strict",
        *({"litellm", "litellm-strict"} & {name for name, _ in DOORS}),
    }  # fmt: skip


@pytest.mark.parametrize(("name", "create"), DOORS)
@pytest.mark.parametrize("depth", [0, 1, 2, 5, 20])
def test_args_with_a_key_twice_are_refused_at_any_depth(
    name: str, create: Callable[[str], dict[str, Any]], depth: int
) -> None:
    for twice in ('{"k":1,"k":2}', '{"k":1,"a":null,"k":null}', '{"any":"1","any":null}', '{"k":1,"\\u006b":2}'):
        host = Host()
        turn = asyncio.run(host.take(name, create(around(depth, twice))))
        assert host.got == []
        key = "any" if "any" in twice else "k"
        assert f"{'/' if depth else ''}{key}: send `{key}` once (found `{key}` twice)" in turn.answers[0].text


@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize(("name", "create"), [door for door in DOORS if door[0].endswith("-strict")])
def test_json_text_that_no_runtime_takes_is_refused_with_its_place(
    name: str, create: Callable[[str], dict[str, Any]], depth: int
) -> None:
    for held, found in {'{"x":1,"x":2}': "'x' is there twice", "1e999": "too large", "[" * 9999: "levels"}.items():
        host = Host()
        given = around(depth, json.dumps({"any": held}))
        turn = asyncio.run(host.take(name, create(given)))
        assert host.got == []
        (result,) = turn.results
        assert result.error is not None
        assert result.tool_name == "own.tool"
        (issue,) = result.error.issues
        assert issue.pointer.endswith("/any")
        assert found in issue.found
        assert f"{issue.pointer}: {issue.hint} (found {issue.found})" in turn.answers[0].text
        assert turn.answers[0].name == "own__tool"


@pytest.mark.parametrize("frames", [0, 250, 500, 750])
@pytest.mark.parametrize("depth", [1, 20, 40, 60, 80, 90, 98, 99, 100])
def test_a_tool_gets_what_was_meant_or_is_not_called(depth: int, frames: int) -> None:
    host = Host()
    response = _openai(around(depth, '{"any":"{\\"x\\":1}","k":null}'))
    turn = after_frames(frames, lambda: asyncio.run(host.take("openai-strict", response)))
    (answer,) = turn.answers
    assert host.got == ([] if answer.is_error else [json.loads(around(depth, '{"any":{"x":1}}'))])
    assert not answer.is_error or depth > 40 or frames
    assert frames or not answer.is_error or "nest the value less deeply" in answer.text
