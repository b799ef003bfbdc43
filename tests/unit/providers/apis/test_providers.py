"""Every provider: names, problems, and unexpected responses."""

from __future__ import annotations

import json
import re
from copy import copy
from typing import Any

import pytest

from tests.unit.providers.apis.conversations import CONVERSATIONS, TOOLS
from toolgen.providers.protocol import (
    CallAnswer,
    MalformedResponse,
    ModelReply,
    OfferedTool,
    OfferProblem,
    UnsupportedCapability,
)
from toolgen.providers.table import PROVIDERS, provider, provider_payload, provider_tool_name
from toolgen.spec.wire_names import wire_name

IDENTS = ("code.read_file", "mcp.git-hub.create_issue", f"mcp.x.{'y' * 70}", "a.b__c", "shop.ünicode")
ALL = pytest.mark.parametrize("name", PROVIDERS)


def offered(name: str, *idents: str) -> list[OfferedTool]:
    made = provider(name)
    return [
        OfferedTool(name=provider_tool_name(ident, wire_name(ident), made), description="It.", args={"type": "object"})
        for ident in idents
    ]


def names_in(fields: Any) -> list[str]:
    """Return the names of the tools anywhere in a payload."""
    found = json.dumps(fields)
    return re.findall(r'"name": "([^"]*)"', found)


def test_uac_11_names_fit_openai_and_dotted_ones_pass_litellm_unchanged() -> None:
    for name in ("openai", "openai-strict", "openai-responses"):
        names = names_in(provider_payload(name, offered(name, *IDENTS)).fields)
        assert len(names) == len(IDENTS)
        assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", each) for each in names)
    names = names_in(provider_payload("litellm", offered("litellm", *IDENTS)).fields)
    assert names[:2] == list(IDENTS[:2])
    assert names[3] == IDENTS[3]


@ALL
def test_uac_12_other_profiles_have_no_dotted_names_in_their_payload(name: str) -> None:
    payload_text = json.dumps(provider_payload(name, offered(name, *IDENTS)).fields)
    dotted = [*IDENTS[:2], IDENTS[3]] if name == "litellm" else []
    assert [ident for ident in IDENTS if f'"{ident}"' in payload_text] == dotted


@ALL
def test_reg_26_the_names_of_a_payload_are_those_offered(name: str) -> None:
    tools = offered(name, *IDENTS)
    assert names_in(provider_payload(name, tools).fields) == [tool.name for tool in tools]
    assert names_in(provider_payload(name, []).fields) == []


@ALL
def test_reg_15_a_tool_that_cannot_be_offered_is_reported_with_the_reason(name: str) -> None:
    tools = [
        OfferedTool(name="has.dot!", description="It.", args={"type": "object"}),
        OfferedTool(name="twice", description="It.", args={"type": "object"}),
        OfferedTool(name="twice", description="It.", args={"type": "object"}),
        OfferedTool(name="text", description="It.", args={"type": "string"}),
    ]
    problems = provider(name).tools(tools).problems
    assert {problem.tool for problem in problems} == {"has.dot!", "twice", "text"}
    assert names_in(provider_payload(name, tools).fields) == []
    error = UnsupportedCapability(name, problems)
    assert error.code == "unsupported_capability"
    assert str(error).startswith(f"{name} does not support this: has.dot!: its name is not [a-zA-Z")
    assert copy(error).problems == error.problems


def test_anthropic_strict_limits_of_a_request_are_reported() -> None:
    args = {"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": False}
    tools = [OfferedTool(name=f"t{number}", description="It.", args=args) for number in range(14)]
    assert [str(problem) for problem in provider_payload("anthropic-strict", tools).problems] == [
        f"t{number}: exceeds a limit: strict mode accepts 24 optional fields in all tools of a request"
        for number in (12, 13)
    ]
    plain = {"type": "object", "additionalProperties": False}
    tools = [OfferedTool(name=f"t{number}", description="It.", args=plain) for number in range(21)]
    payload = provider_payload("anthropic-strict", tools)
    assert payload.problems == (
        OfferProblem("t20", "exceeds a limit: strict mode accepts 20 tools in all tools of a request"),
    )
    assert len(payload.fields["tools"]) == 20


def test_a_wire_name_set_by_a_spec_is_kept() -> None:
    assert provider_tool_name("code.read_file", "read", provider("litellm")) == "read"
    assert provider_tool_name("code.read_file", "code__read_file", provider("litellm")) == "code.read_file"


@pytest.mark.parametrize(
    ("name", "mode"), [("bedrock", "none"), ("mcp", "required"), ("mcp", "none"), ("mcp", "named")]
)
def test_reg_15_an_unsupported_tool_choice_is_refused(name: str, mode: Any) -> None:
    with pytest.raises(UnsupportedCapability, match="tool choice"):
        provider(name).tool_choice(mode)
    assert provider("mcp").tool_choice("auto") == {}


def silent(name: str) -> dict[str, Any]:
    """Return a response without text: a refusal or a truncated answer."""
    blocked: dict[str, dict[str, Any]] = {
        "openai": {"choices": [{"finish_reason": "content_filter", "message": {"role": "assistant", "content": None}}]},
        "openai-responses": {"status": "incomplete", "output": []},
        "anthropic": {"stop_reason": "refusal", "content": []},
        "gemini": {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]},
        "bedrock": {"stopReason": "guardrail_intervened", "output": {"message": {"role": "assistant", "content": []}}},
    }
    return blocked[name]


@pytest.mark.parametrize("name", ["openai", "openai-responses", "anthropic", "gemini", "bedrock"])
def test_an_empty_answer_is_an_empty_reply_and_adds_no_message(name: str) -> None:
    made = provider(name)
    reply = made.read(silent(name))
    assert (reply.text, reply.calls) == ("", ())
    assert made.messages(silent(name)) == []
    (only,) = made.messages(silent(name), (), "Go on.")
    assert only["role"] == "user"


def test_a_second_choice_without_calls_is_passed_over() -> None:
    choices = [{"message": {"role": "assistant", "content": text}} for text in ("first", "second")]
    assert provider("openai").read({"choices": choices}) == ModelReply(text="first")


def test_calls_that_a_stream_would_drop_are_errors() -> None:
    call = {"name": "shop__find", "arguments": "{}"}
    with pytest.raises(MalformedResponse, match="only those of the first choice are made"):
        provider("openai").stream_reader().add(
            {"choices": [{"index": 1, "delta": {"tool_calls": [{"function": call}]}}]}
        )
    stream = provider("openai").stream_reader()
    stream.add({"choices": [{"index": 0, "delta": {"function_call": call}, "finish_reason": "function_call"}]})
    with pytest.raises(MalformedResponse, match="of an API before `tool_calls`"):
        provider("openai").read(stream.response())


def test_refusals_are_text() -> None:
    message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": "I cannot.", "tool_calls": []}
    assert provider("openai").read({"choices": [{"message": message}]}) == ModelReply(text="I cannot.")
    assert provider("openai").messages({"choices": [{"message": message}]}) == [
        {"role": "assistant", "refusal": "I cannot."}
    ]
    item = {"type": "message", "content": [{"type": "refusal", "refusal": "I cannot."}]}
    assert provider("openai-responses").read({"output": [item]}) == ModelReply(text="I cannot.")


def test_a_blocked_prompt_has_no_candidates() -> None:
    for key in ("promptFeedback", "prompt_feedback"):
        assert provider("gemini").read({key: {"blockReason": "SAFETY"}}) == ModelReply()


def test_servers_compatible_with_openai_may_answer_in_parts_and_with_reasoning() -> None:
    message = {
        "role": "assistant",
        "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        "thinking_blocks": [{"type": "thinking", "thinking": "x", "signature": "y"}],
        "annotations": list[str](),
    }
    response = {"choices": [{"message": message}]}
    assert provider("litellm").read(response).text == "ab"
    (own,) = provider("litellm").messages(response)
    assert own["thinking_blocks"] == message["thinking_blocks"]
    assert "annotations" not in own


def test_audio_is_sent_back_by_its_id() -> None:
    message = {"role": "assistant", "content": None, "audio": {"id": "au", "data": "…", "transcript": "Hi."}}
    (own,) = provider("openai").messages({"choices": [{"message": message}]})
    assert own == {"role": "assistant", "audio": {"id": "au"}}


def test_calls_of_gemini_without_ids_are_answered_in_order() -> None:
    made = provider("gemini")
    parts = [{"functionCall": {"name": "a", "args": {"x": None}}}, {"functionCall": {"name": "b"}}]
    response = {"candidates": [{"content": {"role": "model", "parts": parts}}]}
    assert [(call.tool_call_id, call.payload) for call in made.read(response).calls] == [
        ("", '{"x":null}'),
        ("", "{}"),
    ]
    answers = tuple(CallAnswer(tool_call_id="", name=name, text=name) for name in "ab")
    own, payload_text = made.messages(response, answers)
    assert own["parts"] == parts
    assert payload_text["parts"] == [
        {"functionResponse": {"name": name, "response": {"output": name}}} for name in ("a", "b")
    ]


def test_calls_of_tools_run_by_the_provider_are_ignored() -> None:
    block = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    assert provider("anthropic").read({"content": [block]}).calls == ()
    use = {"toolUse": {"toolUseId": "s", "name": "x", "input": {}, "type": "server_tool_use"}}
    assert provider("bedrock").read({"output": {"message": {"content": [use]}}}).calls == ()


CALLED = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def chat(call: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}}]}


@pytest.mark.parametrize(
    ("name", "response", "message"),
    [
        ("openai", {}, "the response has no choices"),
        (
            "openai",
            {"choices": [{"message": {"content": None, "function_call": {"name": "shop__find", "arguments": "{}"}}}]},
            "message.function_call is a call of an API before `tool_calls`: offer `tools` instead",
        ),
        (
            "openai",
            {"choices": [{"message": {"content": "hi"}}, {"message": {"tool_calls": [{"id": "c"}]}}]},
            "choices[1].message has calls too, and only those of the first choice are made: ask with n=1",
        ),
        ("openai", {"choices": 1}, "choices of the response is of the wrong type (number); it must be an array"),
        ("openai", {"choices": [{}]}, "choices[0].message of the response is missing; it must be an object"),
        ("openai", chat({**CALLED, "id": None}), "tool_calls[0].id of the response is missing"),
        ("openai", chat({**CALLED, "type": "custom"}), "is not a function call, but only functions were offered"),
        ("openai", chat({**CALLED, "function": {"name": "f", "arguments": {}}}), "it must be a string"),
        ("openai-responses", {}, "the response has no output"),
        ("openai-responses", {"status": "failed", "output": []}, "the response says that it failed"),
        ("openai-responses", {"output": [{"type": "function_call", "name": "f"}]}, "output[0].call_id of the response"),
        ("openai-responses", {"output": [{"type": "custom_tool_call"}]}, "is not a function call"),
        ("anthropic", {}, "the response has no content"),
        (
            "anthropic",
            {"content": [{"type": "tool_use", "id": "c", "name": "f", "input": []}]},
            "it must be an object",
        ),
        ("gemini", {}, "the response has no candidates, and no reason for that"),
        (
            "gemini",
            {"candidates": [{"content": {"parts": [{"functionCall": {}}]}}]},
            "functionCall.name of the response",
        ),
        ("bedrock", {}, "output of the response is missing"),
        ("bedrock", {"output": {"message": {"content": [{"toolUse": {"name": "f"}}]}}}, "toolUseId of the response"),
        ("mcp", {}, "params of the response is missing"),
        (
            "mcp",
            {"params": {"name": "f", "arguments": []}},
            "params.arguments of the response is of the wrong type (array)",
        ),
    ],
)
def test_a_malformed_response_is_one_clear_error(name: str, response: dict[str, Any], message: str) -> None:
    with pytest.raises(MalformedResponse, match=re.escape(message)):
        provider(name).read(response)


def test_an_error_does_not_quote_the_response() -> None:
    with pytest.raises(MalformedResponse) as caught:
        provider("openai").read(chat({**CALLED, "function": {"name": "f", "arguments": ["hush"]}}))
    assert "hush" not in str(caught.value)


@ALL
def test_reading_and_offering_do_not_modify_their_inputs(name: str) -> None:
    tools = [tool.args for tool in TOOLS]
    before = json.dumps(tools)
    provider(name).tools(TOOLS)
    assert json.dumps(tools) == before
    if name in CONVERSATIONS:
        response = CONVERSATIONS[name].answers[1]
        before = json.dumps(response)
        provider(name).messages(response, (), "And?")
        assert json.dumps(response) == before
