"""Responses that a model could not finish: each reason of each API, and the reasons that the SDKs know."""

from __future__ import annotations

from importlib import import_module
from typing import Any, get_args

import pytest

from tests.unit.runtime.responses import RESPONSES
from toolgen.providers.apis.gemini import INCOMPLETE
from toolgen.providers.table import provider

CALL = ("c1", "desk__count", {"n": 1})


def ended(name: str, reason: str, *calls: tuple[str, str, dict[str, Any]]) -> dict[str, Any]:
    """Return a response with the reason for its end."""
    response = RESPONSES[name]("text", calls)
    if name == "openai":
        response["choices"][0]["finish_reason"] = reason
    elif name == "gemini":
        response["candidates"][0]["finishReason"] = reason
    elif name == "openai-responses":
        response |= {"status": "incomplete", "incomplete_details": {"reason": reason}}
    else:
        response["stopReason" if name == "bedrock" else "stop_reason"] = reason
    return response


@pytest.mark.parametrize(
    ("name", "reason", "incomplete"),
    [
        ("openai", "stop", None),
        ("openai", "tool_calls", None),
        ("openai", "function_call", None),
        ("openai", "eos_token", None),  # of another server
        ("openai", "length", "token_limit"),
        ("openai", "content_filter", "stopped"),
        ("openai-responses", "max_output_tokens", "token_limit"),
        ("openai-responses", "max_messages", "stopped"),
        ("openai-responses", "content_filter", "stopped"),
        ("openai-responses", "steered", "stopped"),
        ("anthropic", "end_turn", None),
        ("anthropic", "tool_use", None),
        ("anthropic", "pause_turn", None),
        ("anthropic", "compaction", None),
        ("anthropic", "stop_sequence", "stopped"),
        ("anthropic", "max_tokens", "token_limit"),
        ("anthropic", "model_context_window_exceeded", "token_limit"),
        ("anthropic", "refusal", "stopped"),
        ("anthropic", "a new reason", "stopped"),
        ("bedrock", "end_turn", None),
        ("bedrock", "tool_use", None),
        ("bedrock", "stop_sequence", "stopped"),
        ("bedrock", "max_tokens", "token_limit"),
        ("bedrock", "model_context_window_exceeded", "token_limit"),
        ("bedrock", "malformed_tool_use", "malformed_call"),
        ("bedrock", "malformed_model_output", "malformed_call"),
        ("bedrock", "guardrail_intervened", "stopped"),
        ("bedrock", "content_filtered", "stopped"),
        ("gemini", "STOP", None),
        ("gemini", "FINISH_REASON_UNSPECIFIED", None),
        ("gemini", "MAX_TOKENS", "token_limit"),
        ("gemini", "CONTINUATION", "token_limit"),
        ("gemini", "MALFORMED_FUNCTION_CALL", "malformed_call"),
        ("gemini", "UNEXPECTED_TOOL_CALL", "malformed_call"),
        ("gemini", "MALFORMED_RESPONSE", "malformed_call"),
        ("gemini", "SAFETY", "stopped"),
        ("gemini", "a new reason", "stopped"),
    ],
)
def test_a_response_with_calls_is_complete_only_if_the_model_ended_it(name: str, reason: str, incomplete: Any) -> None:
    reply = provider(name).read(ended(name, reason, CALL))
    assert len(reply.calls) == 1
    assert reply.incomplete == incomplete


@pytest.mark.parametrize("name", ["anthropic", "bedrock"])
def test_a_stop_sequence_ends_a_text(name: str) -> None:
    assert provider(name).read(ended(name, "stop_sequence")).incomplete is None


def test_a_response_with_an_incomplete_item_is_incomplete() -> None:
    response = RESPONSES["openai-responses"]("", [CALL])
    response["output"][0]["status"] = "incomplete"
    assert provider("openai-responses").read(response).incomplete == "stopped"


def test_the_sdk_of_gemini_spells_the_reason_in_its_way() -> None:
    response = ended("gemini", "MAX_TOKENS", CALL)
    response["candidates"][0]["finish_reason"] = response["candidates"][0].pop("finishReason")
    assert provider("gemini").read(response).incomplete == "token_limit"


@pytest.mark.xdist_group("providers")
@pytest.mark.slow
def test_the_sdks_have_no_other_reason() -> None:
    """A reason that is new in an SDK has to be judged: does it end a response that is complete?"""
    from anthropic.types.beta import BetaStopReason
    from google.genai.types import FinishReason
    from openai.types.chat.chat_completion import Choice
    from openai.types.responses.response import IncompleteDetails

    session = import_module("botocore.session").get_session()
    bedrock = session.get_service_model("bedrock-runtime").shape_for("StopReason").enum
    assert set(get_args(Choice.model_fields["finish_reason"].annotation)) == {
        "stop", "length", "tool_calls", "content_filter", "function_call",
    }  # fmt: skip
    (reasons, _none) = get_args(IncompleteDetails.model_fields["reason"].annotation)
    assert set(get_args(reasons)) == {"max_output_tokens", "max_messages", "content_filter", "steered"}
    assert set(get_args(BetaStopReason)) == {
        "end_turn", "tool_use", "pause_turn", "compaction", "stop_sequence", "max_tokens",
        "model_context_window_exceeded", "refusal",
    }  # fmt: skip
    assert set(bedrock) == {
        "end_turn", "tool_use", "stop_sequence", "max_tokens", "model_context_window_exceeded", "malformed_tool_use",
        "malformed_model_output", "guardrail_intervened", "content_filtered",
    }  # fmt: skip
    gemini = {each.value: provider("gemini").read(ended("gemini", each.value)) for each in FinishReason}
    assert {reason for reason, reply in gemini.items() if reply.incomplete is None} == {
        "STOP",
        "FINISH_REASON_UNSPECIFIED",
    }
    assert {reason for reason, reply in gemini.items() if reply.incomplete is not None} == set(INCOMPLETE)
