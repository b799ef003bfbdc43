"""Response JSON: calls and answers are paired regardless of the ids chosen by a model."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.providers.apis.conversations import (
    anthropic_answer,
    bedrock_answer,
    gemini_answer,
    openai_answer,
    openai_call,
)
from toolgen.providers.protocol import CallAnswer, MalformedResponse
from toolgen.providers.table import PROVIDERS, provider

NAMES = ("a", "b")
TWICE: dict[str, dict[str, Any]] = {
    "openai": openai_answer({"tool_calls": [openai_call("x", name, "{}") for name in NAMES]}, "tool_calls"),
    "openai-responses": {
        "output": [{"type": "function_call", "call_id": "x", "name": name, "arguments": "{}"} for name in NAMES]
    },
    "anthropic": anthropic_answer(
        "tool_use", *({"type": "tool_use", "id": "x", "name": name, "input": {}} for name in NAMES)
    ),
    "gemini": gemini_answer(*({"functionCall": {"id": "x", "name": name}} for name in NAMES)),
    "bedrock": bedrock_answer("tool_use", *({"toolUse": {"toolUseId": "x", "name": name}} for name in NAMES)),
}


@pytest.mark.parametrize("name", TWICE)
def test_calls_with_the_same_id_are_answered_separately_in_order(name: str) -> None:
    made = provider(name)
    answers = [CallAnswer(tool_call_id="x", name=each, text=f"answer-{each}") for each in NAMES]
    sent = str(made.messages(TWICE[name], answers))
    assert 0 < sent.index("answer-a") < sent.index("answer-b")
    for wrong in (answers[:1], [*answers, answers[0]]):
        with pytest.raises(ValueError, match="there must be exactly one answer to each call"):
            made.messages(TWICE[name], wrong)


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("response", [[], "text", None, 1])
def test_a_response_that_is_not_an_object_is_malformed(name: str, response: Any) -> None:
    with pytest.raises(MalformedResponse, match=r"the response has the wrong type \(\w+\); it must be an object"):
        provider(name).read(response)


def test_audio_that_is_not_an_object_is_malformed_before_any_call_runs() -> None:
    response = openai_answer({"audio": "x", "tool_calls": [openai_call("x", "a", "{}")]}, "tool_calls")
    with pytest.raises(MalformedResponse, match="audio of the response is of the wrong type"):
        provider("openai").read(response)
