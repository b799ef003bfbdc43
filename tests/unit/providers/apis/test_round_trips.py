"""Round trips between each SDK and its API, faked on a socket: tools are offered, calls read, and results returned."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.providers.apis.conversations import ANSWERS, CONVERSATIONS, FIND, LAST, REPLY, TOOLS
from tests.unit.providers.apis.fake_api import serving
from toolgen.providers.protocol import ChoiceMode, ModelReply, request_fields
from toolgen.providers.table import PROVIDERS, provider

# SDKs take seconds to import.
pytestmark = [pytest.mark.xdist_group("providers"), pytest.mark.slow]

ALL = pytest.mark.parametrize("name", CONVERSATIONS)


def test_each_provider_has_a_conversation() -> None:
    assert PROVIDERS.keys() - CONVERSATIONS.keys() == {"mcp"}


@ALL
def test_two_turns(name: str) -> None:
    each, made = CONVERSATIONS[name], provider(name)
    payload = made.tools(TOOLS)
    assert payload.problems == ()
    fields = request_fields(payload, made.tool_choice("auto"))
    with serving(each.answers, each.refuses) as api:
        response = each.ask(api.url, fields, [each.opening])
        assert made.read(response) == REPLY
        messages = [each.opening, *made.messages(response, ANSWERS)]
        last = each.ask(api.url, fields, messages)
    assert made.read(last) == LAST
    assert api.paths == [each.path, each.path]
    assert each.kept is None or holds(api.requests[1], each.kept)


def holds(value: Any, part: Any) -> bool:
    """Return whether a JSON value equals or contains another."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return bool(value == part) or any(holds(each, part) for each in inside)


@ALL
def test_the_sdk_sends_the_tools_of_the_payload(name: str) -> None:
    each, made = CONVERSATIONS[name], provider(name)
    with serving(each.answers, each.refuses) as api:
        each.ask(api.url, made.tools(TOOLS).fields, [each.opening])
    sent_text = json.dumps(api.requests[0])
    assert all(tool.name in sent_text and tool.description in sent_text for tool in TOOLS)
    assert on_tools(api.requests[0]) == made.tools(TOOLS).fields


def on_tools(request: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a request about tools; google-genai spells one of them differently."""
    sent = {key: value for key, value in request.items() if key.startswith("tool")}
    return dict(json.loads(json.dumps(sent).replace('"parameters_json_schema"', '"parametersJsonSchema"')))


@ALL
@pytest.mark.parametrize("choice", [("required",), ("named", FIND.name)])
def test_a_choice_is_sent(name: str, choice: tuple[ChoiceMode, str]) -> None:
    each, made = CONVERSATIONS[name], provider(name)
    fields = request_fields(made.tools(TOOLS), made.tool_choice(*choice))
    with serving(each.answers, each.refuses) as api:
        each.ask(api.url, fields, [each.opening])
    assert on_tools(api.requests[0]) == fields


@ALL
def test_without_tools_no_empty_list_is_sent(name: str) -> None:
    each, made = CONVERSATIONS[name], provider(name)
    assert made.tools([]).fields == {}
    with serving(each.answers[1:], each.refuses) as api:
        assert made.read(each.ask(api.url, made.tools([]).fields, [each.opening])) == LAST
    assert on_tools(api.requests[0]) == {}


@ALL
def test_a_message_of_the_host_follows_that_of_the_model(name: str) -> None:
    each, made = CONVERSATIONS[name], provider(name)
    with serving([each.answers[1], each.answers[1]], each.refuses) as api:
        response = each.ask(api.url, {}, [each.opening])
        messages = [each.opening, *made.messages(response, (), "Which one?")]
        assert made.read(each.ask(api.url, {}, messages)) == ModelReply(text="There is a hat.")
    assert "Which one?" in json.dumps(api.requests[1])


@ALL
def test_a_call_without_an_answer_is_not_sent_on(name: str) -> None:
    each, made = CONVERSATIONS[name], provider(name)
    with serving(each.answers, each.refuses) as api:
        response = each.ask(api.url, made.tools(TOOLS).fields, [each.opening])
    for answers in ((), ANSWERS[:1], (*ANSWERS, replace(ANSWERS[0], tool_call_id="call_3"))):
        with pytest.raises(ValueError, match="there must be exactly one answer to each call"):
            made.messages(response, answers, "Which one?")


@pytest.mark.parametrize(
    ("name", "failed"),
    [
        ("anthropic", {"is_error": True}),
        ("gemini", {"response": {"error": "closed"}}),
        ("bedrock", {"status": "error"}),
    ],
)
def test_a_failed_result_is_marked_as_an_error(name: str, failed: dict[str, Any]) -> None:
    *_, sent_text = provider(name).messages(CONVERSATIONS[name].answers[0], ANSWERS)
    results = sent_text.get("content") or sent_text["parts"]
    found, pinged = (each.get("toolResult") or each.get("functionResponse") or each for each in results)
    assert failed.items() <= pinged.items()
    assert not failed.items() <= found.items()


@pytest.mark.parametrize("name", ["openai-strict", "openai-responses-strict"])
def test_fields_that_strict_mode_set_to_null_become_absent_again(name: str) -> None:
    payload = provider(name).tools(TOOLS)
    assert payload.restore("shop__find", '{"text":"hat","limit":null}') == '{"text":"hat"}'
    assert payload.restore("shop__find", '{"text": ') == '{"text": '
    assert payload.restore("unknown", '{"text":null}') == '{"text":null}'
