"""Streams: many deltas add up to what one after the other makes, in linear time."""

from __future__ import annotations

import time
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.providers.apis.response_json import Growing
from toolgen.providers.table import provider

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xy"), inner, max_size=2),
    max_leaves=6,
)


def joined(before: Any, added: Any) -> Any:
    """Return what one delta makes of a value."""
    if added is None:
        return before
    match before, added:
        case (str(), str()) | (list(), list()):
            return before + added
        case dict(), dict():
            return {**before, **{name: joined(before.get(name), value) for name, value in added.items()}}
        case _:
            return added


@given(first=values, deltas=st.lists(values, max_size=5))
def test_deltas_add_up_to_what_each_makes_of_the_one_before(first: Any, deltas: list[Any]) -> None:
    given_values = deepcopy([first, *deltas])
    growing, expected = Growing(first), first
    for delta in deltas:
        growing.add(delta)
        expected = joined(expected, delta)
        assert growing.value() == expected
    assert [first, *deltas] == given_values, "what was given is not changed"


TEXT = "0123456789" * 10


def openai(delta: dict[str, Any]) -> Iterator[dict[str, Any]]:
    while True:
        yield {"choices": [{"index": 0, "delta": delta}]}


def anthropic(block: dict[str, Any], delta: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"type": "message_start", "message": {}}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    while True:
        yield {"type": "content_block_delta", "index": 0, "delta": delta}


def gemini(**part: Any) -> Iterator[dict[str, Any]]:
    while True:
        yield {"candidates": [{"content": {"role": "model", "parts": [part]}}]}


def call(**more: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "", "arguments": TEXT}, **more}]}


STREAMS: dict[str, tuple[str, Callable[[], Iterator[dict[str, Any]]], dict[str, Any]]] = {
    name: (api, stream, last)
    for api, last, streams in (
        (
            "openai",
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
            {
                "openai text": lambda: openai({"content": TEXT}),
                "openai reasoning": lambda: openai({"reasoning_content": TEXT}),
                "openai details": lambda: openai({"reasoning_details": [{"index": 0, "text": TEXT}]}),
                "openai audio": lambda: openai({"audio": {"data": TEXT, "more": {"text": TEXT, "list": [1]}}}),
                "openai args": lambda: openai(call()),
                "openai args without an index": lambda: openai(call(index=None)),
            },
        ),
        (
            "anthropic",
            {"type": "message_stop"},
            {
                "anthropic text": lambda: anthropic({"type": "text", "text": ""}, {"type": "text_delta", "text": TEXT}),
                "anthropic args": lambda: anthropic(
                    {"type": "tool_use", "id": "x", "name": "f"}, {"type": "input_json_delta", "partial_json": TEXT}
                ),
                "anthropic citations": lambda: anthropic(
                    {"type": "text", "text": ""}, {"type": "citations_delta", "citation": {"a": 1}}
                ),
                "anthropic news": lambda: anthropic({"type": "new"}, {"type": "new_delta", "new": TEXT, "list": [1]}),
            },
        ),
        (
            "gemini",
            {"candidates": [{"finishReason": "STOP"}]},
            {"gemini text": lambda: gemini(text=TEXT), "gemini thoughts": lambda: gemini(text=TEXT, thought=True)},
        ),
    )
    for name, stream in streams.items()
}
"""A stream of deltas without end of each kind, and the event that ends it."""


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.variants(4)
def test_a_stream_of_many_deltas_takes_linear_time(name: str) -> None:
    api, stream, last = STREAMS[name]
    reader = provider(api).stream_reader()
    start, number = time.process_time(), 0
    for number, event in enumerate(stream(), 1):
        if number > 100_000:
            break
        reader.add(event)
        if number % 1_000 == 0:
            assert time.process_time() - start < 20, f"after {number} deltas"
    reader.add(last)
    text = str(reader.response())
    assert len(text) >= 1_000_000
    assert time.process_time() - start < 20
