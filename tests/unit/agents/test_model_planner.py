"""A planner that asks a model: its requests for each API, calls by name, tokens, other APIs' turns, errors."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.llm.tool_use.streams import EVENTS
from tests.unit.runtime.responses import RESPONSES
from toolgen.agents import Message, ModelPlanner, RunOutcome, run_agent
from toolgen.agents.planner import message_as_json, message_from_json
from toolgen.contract.records import ToolRequest
from toolgen.providers.protocol import CallAnswer, MalformedResponse, ModelReply, UnsupportedCapability
from toolgen.providers.table import PROVIDERS, provider
from toolgen.runtime import Catalog, Runtime, ToolDefinition, allow_all, load
from toolgen.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
START = (Message(role="system", content="Count."), Message(role="user", content="go"))
SYSTEM: Mapping[str, Callable[[Any, Any], Any]] = {
    "openai": lambda messages, _request: messages[0]["content"],
    "openai-responses": lambda _messages, request: request["instructions"],
    "anthropic": lambda _messages, request: request["system"],
    "gemini": lambda _messages, request: request["systemInstruction"]["parts"][0]["text"],
    "bedrock": lambda _messages, request: request["system"][0]["text"],
}
"""Where each API has the system text."""

TURNS = {name: turns for name in PROVIDERS if (turns := provider(name).turns) is not None}


class Desk:
    """A counting tool, and a model that answers from a script."""

    def __init__(self, name: str, *script: tuple[str, Any], usage: Mapping[str, Any] | None = None) -> None:
        self.name = name
        self.counted: list[int] = []
        responses = ({**RESPONSES[name](*turn), **(usage or {})} for turn in script)
        self.model = ScriptedModel(*responses, provider=name)
        catalog = Catalog()
        definition = ToolDefinition(
            name="desk.count", description="Count.", input_schema=NUMBER, permission="readonly", result_schema=True
        )
        catalog.register(definition, self._count)
        self.runtime = Runtime(catalog, permission=allow_all)

    @property
    def asked(self) -> list[tuple[list[Mapping[str, Any]], Mapping[str, Any]]]:
        return [(list(request.messages), request.fields) for request in self.model.requests]

    def run(self, messages: Sequence[Message] = START, ask: Any = None) -> Any:
        planner = ModelPlanner(ask or self.model, self.name)
        return asyncio.run(run_agent(self.runtime, "", messages, planner))

    def _count(self, args: dict[str, int]) -> int:
        self.counted.append(args["n"])
        return 10 * args["n"]


def call(n: int, name: str = "desk__count", call_id: str = "") -> tuple[str, str, dict[str, Any]]:
    return (call_id or f"call_{n}", name, {"n": n})


@pytest.mark.parametrize("name", SYSTEM)
def test_it_shows_the_tools_and_the_system_text_and_sends_turns_back(name: str) -> None:
    desk = Desk(name, ("First.", [call(1)]), ("", [call(2), call(3)]), ("six", []))
    result = desk.run()
    assert (result.outcome.value, result.turns) == ("six", 3)
    assert desk.counted == [1, 2, 3]
    for messages, request in desk.asked:
        assert SYSTEM[name](messages, request) == "Count."
        assert "desk__count" in json.dumps(request)
    expected = [
        *provider(name).messages(RESPONSES[name]("First.", [call(1)]), answers_of((1,))),
        *provider(name).messages(RESPONSES[name]("", [call(2), call(3)]), answers_of((2, 3))),
    ]
    assert desk.asked[2][0][-len(expected) :] == expected
    assert "go" in json.dumps(desk.asked[2][0][: -len(expected)])


def answers_of(numbers: Sequence[int]) -> list[CallAnswer]:
    return [CallAnswer(tool_call_id=f"call_{n}", name="desk__count", text=str(10 * n)) for n in numbers]


def test_there_is_a_format_of_turns_for_every_api_of_a_model() -> None:
    assert TURNS.keys() == PROVIDERS.keys() - {"mcp"}


@pytest.mark.parametrize(
    ("name", "message"),
    [("mcp", "mcp is not a model API; there are openai, "), ("opnai", "there is no provider 'opnai'; did you mean")],
)
def test_a_provider_without_conversations_is_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ModelPlanner(lambda _messages, _request: {}, name)


@pytest.mark.parametrize("name", SYSTEM)
def test_a_call_of_an_unknown_tool_is_rejected_and_the_model_sees_similar_names(name: str) -> None:
    desk = Desk(name, ("", [call(1, "desk__cuont"), call(2)]), ("two", []))
    result = desk.run()
    assert desk.counted == [2]
    rejected = next(message for message in result.messages if message.role == "tool")
    assert (rejected.name, rejected.is_error) == ("desk__cuont (not offered)", True)
    assert "unknown tool; did you mean desk__count?" in json.dumps(desk.asked[1][0])


def test_the_ident_of_a_tool_is_no_name_of_it() -> None:
    desk = Desk("litellm", ("", [call(1, "desk__count")]), ("none", []))
    desk.run()
    assert desk.counted == [], "LiteLLM was shown desk.count"


USAGES = {
    "openai": {"usage": {"prompt_tokens": 5, "completion_tokens": 2}},
    "openai-responses": {"usage": {"input_tokens": 5, "output_tokens": 2}},
    "anthropic": {"usage": {"input_tokens": 1, "cache_read_input_tokens": 4, "output_tokens": 2}},
    "gemini": {"usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 1, "thoughtsTokenCount": 1}},
    "bedrock": {"usage": {"inputTokens": 2, "cacheReadInputTokens": 3, "outputTokens": 2}},
}


@pytest.mark.parametrize("name", USAGES)
def test_the_tokens_of_the_responses_are_summed(name: str) -> None:
    result = Desk(name, ("", [call(1)]), ("one", []), usage=USAGES[name]).run()
    assert result.telemetry == {"requests": 2, "input_tokens": 10, "output_tokens": 4}


def test_without_usage_only_requests_are_counted() -> None:
    assert Desk("openai", ("none", [])).run().telemetry == {"requests": 1}


@pytest.mark.parametrize("name", ["openai", "anthropic", "gemini"])
def test_the_tokens_of_a_stream_are_known(name: str) -> None:
    usage = {"openai": {"prompt_tokens": 1, "completion_tokens": 1}}
    desk = Desk(name, ("", [call(1)]), ("one", []), usage=USAGES[name])

    async def ask(messages: Any, request: Any) -> Any:
        for event in EVENTS[name](desk.model(messages, request)):
            if name == "gemini":
                event |= USAGES["gemini"]
            if event.get("type") == "message_delta":
                event["usage"] = {"output_tokens": 2}
            yield event

    telemetry = desk.run(ask=ask).telemetry
    expected = (2, 2) if name in usage else (10, 4)
    assert (telemetry["input_tokens"], telemetry["output_tokens"]) == expected


def test_only_what_later_requests_need_is_kept_of_a_response() -> None:
    extra = {"id": "r1", "tools": [{"name": "desk__count"}], "instructions": "Count."}
    result = Desk("openai-responses", ("", [call(1)]), ("one", []), usage=extra).run()
    assert result.messages[2].response == RESPONSES["openai-responses"]("", [call(1)])


@pytest.mark.parametrize("name", SYSTEM)
def test_no_call_of_an_answer_that_was_cut_off_is_made_and_the_model_is_told(name: str) -> None:
    calls = (ToolRequest(name="desk__count", payload='{"n":1}', tool_call_id="c1"),)
    cut = TURNS[name].response(ModelReply(text="Now.", calls=calls, incomplete="token_limit"))
    desk = Desk(name)
    desk.model = ScriptedModel(cut, calls[0], "one", provider=name)
    assert (desk.run().outcome.value, desk.counted) == ("one", [1])
    sent = provider(name).messages(cut, [cut_off("c1")])
    assert desk.asked[1][0][-len(sent) :] == sent


def cut_off(call_id: str) -> CallAnswer:
    text = (
        "nothing was called: your answer was cut off at the token limit before its calls were complete; "
        "make them again, in a shorter answer"
    )
    return CallAnswer(tool_call_id=call_id, name="desk__count", text=text, is_error=True)


def test_a_call_that_gemini_could_not_parse_is_asked_for_again() -> None:
    desk = Desk("gemini")
    unparsed = {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}
    desk.model = ScriptedModel(unparsed, ToolRequest(name="desk.count", payload='{"n":1}'), "one", provider="gemini")
    assert (desk.run().outcome.value, desk.counted) == ("one", [1])
    assert "your call was not written as the API requires" in json.dumps(desk.asked[1][0][-1])


@pytest.mark.parametrize("name", SYSTEM)
@pytest.mark.parametrize("other", ["openai", "gemini", "openai-responses"])
def test_a_run_goes_on_with_the_model_of_another_api(name: str, other: str) -> None:
    begun = Desk(other, ("First.", [call(1, "desk__count"), call(2, "desk__cuont")]), ("x", [])).run()
    desk = Desk(name, ("done", []))
    desk.run(begun.messages)
    calls = [("call_1", "desk__count", {"n": 1}), ("call_2", "desk__cuont", {"n": 2})]
    (asked, *_) = provider(name).messages(TURNS[name].response(reply_of(other, calls)), answers_of((1, 2)))
    history = desk.asked[0][0]
    assert asked in history
    answers = json.dumps(history[history.index(asked) + 1 :])
    assert all(part in answers for part in ("call_1", "10", "call_2", "unknown tool; did you mean desk__count?"))


def reply_of(api: str, calls: Sequence[tuple[str, str, Any]]) -> ModelReply:
    """Return the reply of an API; where args are text there, it is kept as the model wrote it."""
    separators = None if api.startswith("openai") else (",", ":")
    requests = [
        ToolRequest(name=name, payload=json.dumps(args, separators=separators), tool_call_id=call_id)
        for call_id, name, args in calls
    ]
    return ModelReply(text="First.", calls=tuple(requests))


REPLIES = st.builds(
    ModelReply,
    text=st.text(max_size=20),
    calls=st.lists(
        st.builds(
            ToolRequest,
            name=st.from_regex(r"[a-z_]{1,9}", fullmatch=True),
            payload=st.dictionaries(st.text(max_size=5), st.integers(-99, 99), max_size=3).map(
                lambda args: json.dumps(args, separators=(",", ":"), ensure_ascii=False)
            ),
            tool_call_id=st.from_regex(r"[a-z0-9]{1,9}", fullmatch=True),
        ),
        max_size=3,
    ).map(tuple),
    incomplete=st.sampled_from([None, "token_limit", "stopped"]),
)


@pytest.mark.parametrize("name", TURNS)
@given(reply=REPLIES)
def test_a_written_turn_reads_as_it_was(name: str, reply: ModelReply) -> None:
    assert provider(name).read(TURNS[name].response(reply)) == reply


@pytest.mark.parametrize("payload", ["[1]", "{", b"\xff", "1" * 5000, "NaN"])
@pytest.mark.parametrize("name", ["anthropic", "gemini", "bedrock"])
def test_args_that_are_no_object_stay_visible_where_an_api_needs_one(name: str, payload: Any) -> None:
    reply = ModelReply(calls=(ToolRequest(name="x", payload=payload, tool_call_id="1"),))
    (read,) = provider(name).read(TURNS[name].response(reply)).calls
    text = payload if isinstance(payload, str) else payload.decode(errors="replace")
    assert json.loads(read.payload) == {"invalid_args": text}


ASKED = Message(role="assistant", calls=(ToolRequest(name="desk.count", payload='{"n":1}', tool_call_id="c"),))
ANSWER = Message(role="tool", name="desk.count", tool_call_id="c", content="10")


@pytest.mark.parametrize(
    "messages", [(*START, ASKED), (*START, ANSWER), (*START, ASKED, ANSWER, ANSWER)], ids=["none", "stray", "two"]
)
def test_every_call_needs_one_answer(messages: Sequence[Message]) -> None:
    with pytest.raises(ValueError, match="there must be one message of the role `tool` for each call"):
        Desk("openai", ("x", [])).run(messages)


def test_a_call_without_a_response_has_the_id_of_its_answer() -> None:
    """The runtime gives ids to the calls of a script; APIs refuse calls without one."""
    asked = Message(role="assistant", calls=(ToolRequest(name="desk.count", payload='{"n":1}'),))
    desk = Desk("openai", ("x", []))
    desk.run((*START, asked, ANSWER))
    _, _, turn, answer = desk.asked[0][0]
    assert turn["tool_calls"][0]["id"] == answer["tool_call_id"] == "c"


def test_args_in_the_form_of_a_strict_mode_become_those_of_the_tool() -> None:
    """There, null stands for a field that is absent."""
    seen: list[Any] = []
    catalog = Catalog()
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}
    definition = ToolDefinition(name="desk.count", description="Count.", input_schema=schema, permission="readonly")
    catalog.register(definition, seen.append)
    model = ScriptedModel(RESPONSES["openai"]("", [("c1", "desk__count", {"n": None})]), "x")
    planner = ModelPlanner(model, "openai-strict")
    asyncio.run(run_agent(Runtime(catalog, permission=allow_all), "", START, planner))
    assert seen == [{}]


def test_args_that_cannot_be_restored_are_invalid_and_the_model_is_told_why() -> None:
    seen: list[Any] = []
    catalog = Catalog()
    schema = {"type": "object", "properties": {"any": {}}, "additionalProperties": False}
    definition = ToolDefinition(name="desk.count", description="Count.", input_schema=schema, permission="readonly")
    catalog.register(definition, seen.append)
    asked = [("c1", "desk__count", {"any": '{"x":1,"x":2}'}), ("c2", "desk__count", {"any": '{"x":1}'})]
    model = ScriptedModel(RESPONSES["openai"]("", asked), "x")
    planner = ModelPlanner(model, "openai-strict")
    result = asyncio.run(run_agent(Runtime(catalog, permission=allow_all), "", START, planner))
    assert seen == [{"any": {"x": 1}}]
    planned, refused = result.messages[2:4]
    assert (
        "/any: send the JSON text of a value that is valid JSON (found the key 'x' is there twice)" in refused.content
    )
    assert message_from_json(json.loads(json.dumps(message_as_json(planned)))) == planned
    for name in ("openai-strict", "gemini"):  # also as messages of another API
        told = ScriptedModel(RESPONSES[name]("x", []), provider=name)
        asyncio.run(
            run_agent(Runtime(catalog, permission=allow_all), "", result.messages[:5], ModelPlanner(told, name))
        )
        (request,) = told.requests
        written = json.dumps(list(request.messages))
        assert "desk__count" in written
        assert "malformed" not in written
        assert "is there twice" in written


def test_messages_of_a_user_after_answers_come_after_them() -> None:
    more = (Message(role="user", content="And"), Message(role="user", content="then?"))
    for name in ("bedrock", "openai"):
        desk = Desk(name, ("x", []))
        desk.run((*START, ASKED, ANSWER, *more))
        last = desk.asked[0][0][-1]
        assert last["content"] == (
            "And\n\nthen?" if name == "openai" else [*last["content"][:1], {"text": "And\n\nthen?"}]
        )


def test_empty_texts_are_not_sent() -> None:
    desk = Desk("anthropic", ("x", []))
    desk.run((Message(role="system"), Message(role="user", content="go")))
    assert desk.asked[0][0] == [{"role": "user", "content": "go"}]
    assert "system" not in desk.asked[0][1]


def test_a_response_that_is_none_and_a_tool_that_cannot_be_offered_fail_the_run() -> None:
    with pytest.raises(MalformedResponse, match="no choices"):
        Desk("openai").run(ask=lambda _messages, _request: {"choices": []})
    desk = Desk("openai")
    nested: dict[str, Any] = {}
    for _ in range(500):
        nested = {"type": "object", "properties": {"a": nested}}
    definition = ToolDefinition(name="desk.count", description="Count.", input_schema=nested)

    async def plan() -> Any:
        return await ModelPlanner(desk.model).plan(START, {"desk.count": definition}, desk.runtime.start_run().meta)

    with pytest.raises(UnsupportedCapability, match="desk__count"):
        asyncio.run(plan())


def test_a_name_from_the_spec_is_the_name_that_the_model_sees() -> None:
    desk = Desk("openai", ("x", []))
    definition = ToolDefinition(
        name="desk.count", description="Count.", input_schema=NUMBER, metadata={"wire_name": "count"}
    )

    async def plan() -> Any:
        return await ModelPlanner(desk.model).plan(START, {"desk.count": definition}, desk.runtime.start_run().meta)

    assert asyncio.run(plan()) == RunOutcome(value="x", telemetry={"requests": 1})
    assert desk.asked[0][1]["tools"][0]["function"]["name"] == "count"


def test_the_definition_of_a_compiled_tool_has_the_name_that_its_spec_sets() -> None:
    catalog = load("generated")
    assert catalog.definition("actions.list_actions").metadata["wire_name"] == catalog.wire_name("actions.list_actions")
    assert "wire_name" not in catalog.definition("code.list_dir").metadata
