"""The loop of a conversation: bound, resumption, events, cancellation, streams."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.llm.tool_use.streams import EVENTS
from tests.unit.runtime.responses import RESPONSES
from toolgen.llm import ToolUse
from toolgen.llm.conversation import CallRequested, ConversationResult, TextDelta, TurnEnded, plain_json
from toolgen.providers.protocol import MalformedResponse, ModelReply, UnsupportedCapability
from toolgen.providers.table import provider
from toolgen.runtime import Catalog, RunEnded, Runtime, ToolDefinition, ToolRequest, allow_all
from toolgen.testing import ModelRequest, ModelTurn, ScriptedModel
from toolgen.testing.streams import events_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from toolgen.llm import Conversation
    from toolgen.runtime.runs.run import Run

    Messages = list[dict[str, Any]]

ANY = {"type": "object", "properties": {"n": {"type": "integer"}}}
OPENING = {"role": "user", "content": "count"}


class Host:
    """A counting tool and its conversation."""

    def __init__(self, name: str = "openai", count: Callable[[], Any] | None = None) -> None:
        self.counted: list[int] = []
        catalog = Catalog()
        definition = ToolDefinition(
            name="desk.count", description="Count.", input_schema=ANY, permission="readonly", result_schema=True
        )

        async def run(args: dict[str, Any]) -> Any:
            self.counted.append(args["n"])
            return await count() if count else args["n"]

        catalog.register(definition, run)
        self.runtime = Runtime(catalog, permission=allow_all)
        self.run: Run = self.runtime.start_run()
        self.conversation: Conversation = ToolUse(catalog).conversation("chat", self.runtime, self.run, name)


def calling(n: int, text: str = "") -> dict[str, Any]:
    return RESPONSES["openai"](text, [(f"call_{n}", "desk__count", {"n": n})])


def counting(last: int = 3) -> ScriptedModel:
    """Return a model that counts up to `last`, with one call in each turn, based on the received messages."""

    def play(request: ModelRequest) -> ModelTurn:
        assert request.offered == ("desk__count",)
        number = 1 + sum(message["role"] == "tool" for message in request.messages)
        if number > last:
            return "done"
        call = ToolRequest(name="desk.count", payload=f'{{"n": {number}}}')
        return ModelReply(text=f"{number}. ", calls=(call,))

    return ScriptedModel(play)


def test_it_continues_until_the_model_makes_no_more_calls() -> None:
    host, model, events = Host(), counting(), list[Any]()
    opening = [OPENING]
    outcome = asyncio.run(host.conversation.run(model, opening, on_event=events.append))
    assert (outcome.text, outcome.turns, outcome.stopped) == ("done", 4, "completed")
    assert host.counted == [1, 2, 3]
    assert opening == [OPENING]
    assert [message["role"] for message in outcome.messages] == ["user", *["assistant", "tool"] * 3, "assistant"]
    assert [type(event) for event in events] == [*[TextDelta, CallRequested, TurnEnded] * 3, TextDelta, TurnEnded]
    kept = [message for event in events if isinstance(event, TurnEnded) for message in event.turn.messages]
    assert [OPENING, *kept] == outcome.messages


def test_a_call_event_precedes_the_call() -> None:
    host, model, seen = Host(), counting(1), list[Any]()

    async def tell(event: Any) -> None:
        await asyncio.sleep(0)
        if isinstance(event, CallRequested):
            seen.append((event.call.asked.name, list(host.counted)))

    asyncio.run(host.conversation.run(model, [OPENING], on_event=tell))
    assert seen == [("desk__count", [])]


def test_after_its_turn_limit_it_can_resume_from_the_messages() -> None:
    host, model = Host(), counting()
    first = asyncio.run(host.conversation.run(model, [OPENING], max_turns=2))
    assert (first.stopped, first.turns, host.counted) == ("max_turns", 2, [1, 2])
    rest = asyncio.run(Host().conversation.run(model, first.messages))  # another process has other objects
    assert (rest.stopped, rest.turns, rest.text) == ("completed", 2, "done")
    assert len(model.requests) == 4
    with pytest.raises(ValueError, match="at least 1"):
        asyncio.run(host.conversation.run(model, [OPENING], max_turns=0))


def test_an_aborted_run_makes_no_more_requests() -> None:
    host = Host()

    async def abort() -> int:
        host.run.abort("enough")
        return 1

    host = Host(count=abort)
    model = counting()
    outcome = asyncio.run(host.conversation.run(model, [OPENING]))
    assert (outcome.stopped, len(model.requests)) == ("aborted", 1)
    again = asyncio.run(host.conversation.run(model, outcome.messages))
    assert (again.stopped, again.turns, len(model.requests)) == ("aborted", 0, 1)


def test_a_run_that_has_ended_makes_no_more_requests() -> None:
    host = Host()

    async def end() -> int:
        await host.runtime.end_run(host.run)
        return 1

    host = Host(count=end)
    model = counting()
    for messages in ([OPENING], [OPENING, OPENING]):
        with pytest.raises(RunEnded, match=r"^the run has ended; start another one"):
            asyncio.run(host.conversation.run(model, messages))
        assert len(model.requests) == 1


def test_cancelling_it_cancels_what_it_waits_for() -> None:
    began: list[str] = []
    ended: list[str] = []

    async def wait() -> int:
        began.append("call")
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("call")
        return 1

    async def stream(_messages: Messages, _tools: Any) -> AsyncIterator[Any]:
        try:
            yield next(iter(EVENTS["openai"](calling(1, "text"))))
            began.append("stream")
            await asyncio.sleep(60)
        finally:
            ended.append("stream")

    async def cancel(host: Host, ask: Any, count: int) -> None:
        task = asyncio.create_task(host.conversation.run(ask, [OPENING]))
        while len(began) < count:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel(Host(count=wait), counting(), 1))
    asyncio.run(cancel(Host(), stream, 2))
    assert ended == ["call", "stream"]


def test_a_stream_is_closed_if_the_event_callback_fails() -> None:
    closed: list[bool] = []

    class Stream:
        def __init__(self) -> None:
            self._events = iter(EVENTS["openai"](calling(1, "text")))

        def __aiter__(self) -> Stream:
            return self

        async def __anext__(self) -> Any:
            return next(self._events)

        async def close(self) -> None:
            closed.append(True)

    async def ask(_messages: Messages, _tools: Any) -> Stream:
        return Stream()

    def fail(_event: Any) -> None:
        raise LookupError("no screen")

    with pytest.raises(LookupError, match="no screen"):
        asyncio.run(Host().conversation.run(ask, [OPENING], on_event=fail))
    assert closed == [True]


def test_a_sync_ask_runs_in_a_thread() -> None:
    threads: list[int] = []

    def play(_request: ModelRequest) -> str:
        threads.append(threading.get_ident())
        return "done"

    assert asyncio.run(Host().conversation.run(ScriptedModel(play), [OPENING])).text == "done"
    assert threads != [threading.get_ident()]


def test_a_lambda_may_return_an_awaitable() -> None:
    model = counting(0)

    async def later(messages: Messages, tools: Any) -> Any:
        return model(messages, tools)

    outcome = asyncio.run(Host().conversation.run(lambda messages, tools: later(messages, tools), [OPENING]))
    assert outcome.text == "done"


def test_an_invalid_response_is_an_error_that_says_what_to_return() -> None:
    async def ask(_messages: Messages, _tools: Any) -> Any:
        return "hello"

    with pytest.raises(TypeError, match="`ask` gave a str: return the response of the SDK"):
        asyncio.run(Host().conversation.run(ask, [OPENING]))


@pytest.mark.parametrize("name", EVENTS)
def test_a_stream_gives_the_same_outcome_as_the_response(name: str) -> None:
    calls = [("call_1", "desk__count", {"n": 1}), ("call_2", "desk__count", {"n": 2})]
    script = [RESPONSES[name]("I count.", calls), RESPONSES[name]("done", [])]

    def run(ask: Any) -> tuple[ConversationResult, list[Any], list[int]]:
        host, events = Host(name), list[Any]()
        outcome = asyncio.run(host.conversation.run(ask, [OPENING], on_event=events.append))
        return outcome, events, host.counted

    whole, streamed = iter(script), iter(script)

    async def ask(_messages: Messages, _tools: Any) -> Any:
        return next(whole)

    async def stream(_messages: Messages, _tools: Any) -> AsyncIterator[Any]:
        for event in EVENTS[name](next(streamed)):
            yield event

    first, _, counted = run(ask)
    second, events, counted_too = run(stream)
    assert second == first
    assert counted == counted_too == [1, 2]
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["I c", "oun", "t.", "don", "e"]


@pytest.mark.parametrize("name", EVENTS)
@given(text=st.text(), args=st.lists(st.dictionaries(st.text(), st.integers() | st.text()), max_size=3))
def test_reading_a_stream_returns_the_response(name: str, text: str, args: list[dict[str, Any]]) -> None:
    calls = [(f"call_{number}", "desk__count", each) for number, each in enumerate(args)]
    response = RESPONSES[name](text, calls)
    reader = provider(name).stream_reader()
    text_reply = "".join(reader.add(event) for event in EVENTS[name](response))
    api = provider(name)
    assert text_reply == text
    assert api.read(reader.response()) == api.read(response)


@pytest.mark.parametrize("name", EVENTS)
def test_a_stream_that_ends_early_is_malformed(name: str) -> None:
    events = list(EVENTS[name](RESPONSES[name]("I count.", [("call_1", "desk__count", {"n": 1})])))
    for kept in range(len(events) - 2 if name in ("openai", "anthropic") else len(events) - 1):
        reader = provider(name).stream_reader()
        for event in events[:kept]:
            reader.add(event)
        with pytest.raises(MalformedResponse, match="ended before the response did"):
            reader.response()


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("openai", {"error": {"message": "overloaded"}}),
        ("openai-responses", {"type": "error", "message": "overloaded"}),
        ("anthropic", {"type": "error", "error": {"type": "overloaded_error"}}),
    ],
)
def test_an_error_in_a_stream_is_raised(name: str, event: dict[str, Any]) -> None:
    with pytest.raises(MalformedResponse, match="reports an error"):
        provider(name).stream_reader().add(event)


@pytest.mark.parametrize("name", ["bedrock", "mcp"])
def test_streams_of_unsupported_providers_are_refused(name: str) -> None:
    with pytest.raises(UnsupportedCapability, match="cannot be read as a stream"):
        provider(name).stream_reader()


def test_thoughts_and_their_signatures_are_returned_unchanged_and_are_not_text() -> None:
    thought = {"type": "thinking", "thinking": "I should look.", "signature": "c2ln"}
    response = RESPONSES["anthropic"]("I look.", [])
    response = {**response, "content": [thought, *response["content"]]}
    reader = provider("anthropic").stream_reader()
    assert "".join(map(reader.add, EVENTS["anthropic"](response))) == "I look."
    assert reader.response()["content"][0] == thought
    gemini = provider("gemini").stream_reader()
    parts: list[Any] = [
        {"text": "I should ", "thought": True},
        {"text": "look.", "thought": True},
        {"text": "I "},
        {"text": "look."},
        {"text": " ", "thoughtSignature": "c2ln"},
        {"text": "Now."},
        {"functionCall": {"name": "look", "args": {}}, "thoughtSignature": "c2ln"},
        {"text": "", "thoughtSignature": "c2ln"},
    ]
    chunks: list[Any] = [{"candidates": [{"content": {"parts": [part]}}]} for part in parts]
    chunks[-1]["candidates"][0]["finishReason"] = "STOP"
    assert "".join(map(gemini.add, chunks)) == "I look. Now."
    assert gemini.response()["candidates"][0]["content"]["parts"] == [
        {"text": "I should look.", "thought": True}, {"text": "I look."}, *parts[4:],
    ]  # fmt: skip


def test_a_blocked_prompt_of_gemini_is_an_empty_answer() -> None:
    reader = provider("gemini").stream_reader()
    reader.add({"promptFeedback": {"blockReason": "SAFETY"}})
    assert provider("gemini").read(reader.response()).text == ""


def test_calls_without_an_index_are_distinguished_by_their_ids() -> None:
    reader = provider("openai").stream_reader()
    for call in (
        {"id": "a", "function": {"name": "one", "arguments": '{"n"'}},
        {"function": {"arguments": ": 1}"}},
        {"id": "b", "function": {"name": "two", "arguments": "{}"}},
    ):
        reader.add({"choices": [{"delta": {"tool_calls": [call]}}]})
    reader.add({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
    asked = provider("openai").read(reader.response()).calls
    assert [(call.tool_call_id, call.name, call.payload) for call in asked] == [
        ("a", "one", '{"n": 1}'), ("b", "two", "{}"),
    ]  # fmt: skip


def test_calls_that_share_an_index_are_distinguished_by_their_ids() -> None:
    reader = provider("openai").stream_reader()
    for call in (
        {"index": 0, "id": "a", "function": {"name": "one", "arguments": '{"n"'}},
        {"index": 0, "id": "a", "function": {"arguments": ": 1"}},
        {"index": 0, "id": "another", "function": {"arguments": "}"}},  # a server that makes one for each delta
        {"index": 0, "id": "b", "function": {"name": "two", "arguments": "{"}},
        {"index": 0, "function": {"arguments": "}"}},
        {"index": 1, "id": "c", "function": {"name": "three", "arguments": "{}"}},
    ):
        reader.add({"choices": [{"delta": {"tool_calls": [call]}}]})
    reader.add({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
    asked = provider("openai").read(reader.response()).calls
    assert [(call.tool_call_id, call.name, call.payload) for call in asked] == [
        ("a", "one", '{"n": 1}'), ("b", "two", "{}"), ("c", "three", "{}"),
    ]  # fmt: skip


def test_members_of_other_servers_are_sent_back_whole() -> None:
    reader = provider("openai").stream_reader()
    first, second = [{"type": "reasoning.text", "text": text} for text in ("Look. ", "Then act.")]
    deltas = [
        {"reasoning": "Look. ", "reasoning_details": [first], "audio": {"id": "a"}},
        {"reasoning": "Then act.", "reasoning_details": [second], "audio": {"data": "eA=="}},
        {"content": "Done.", "reasoning_details": None},
    ]
    for delta in deltas:
        reader.add({"choices": [{"delta": delta}]})
    reader.add({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    (own,) = provider("openai").messages(reader.response())
    assert own == {
        "role": "assistant", "content": "Done.", "reasoning": "Look. Then act.", "reasoning_details": [first, second],
        "audio": {"id": "a"},
    }  # fmt: skip


def test_blocks_that_are_new_in_the_api_are_sent_back_whole() -> None:
    reader = provider("anthropic").stream_reader()
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "compaction", "content": None}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "compaction_delta", "content": "Summary "}},
        {"type": "content_block_delta", "index": 0, "delta": {
            "type": "compaction_delta", "content": "of it.", "encrypted_content": "eA=="}},
        {"type": "message_delta", "delta": {"stop_reason": "compaction"}},
        {"type": "message_stop"},
    ]  # fmt: skip
    assert "".join(map(reader.add, events)) == ""
    (own,) = provider("anthropic").messages(reader.response())
    assert own["content"] == [{"type": "compaction", "content": "Summary of it.", "encrypted_content": "eA=="}]


@pytest.mark.parametrize("name", ["anthropic", "openai"])
@pytest.mark.parametrize(
    "text", ['{"n": 10', "[1]", '{"n": NaN}', '{"n": ' + "[" * 100_000], ids=["half", "list", "NaN", "deep"]
)
def test_streamed_args_that_are_no_object_are_an_answer_to_the_model(name: str, text: str) -> None:
    reader, made = provider(name).stream_reader(), provider(name)
    for event in events_of(made, ModelReply(calls=(ToolRequest(name="desk__count", payload=text, tool_call_id="c"),))):
        reader.add(event)
    assert made.read(reader.response()).calls[0].payload == text
    host = Host(name)
    turn = asyncio.run(host.conversation.take(reader.response()))
    assert (host.counted, turn.answers[0].is_error) == ([], True)
    assert turn.answers[0].text.startswith("invalid payload")
    if name == "anthropic":
        assert turn.messages[0]["content"][0]["input"] == {"invalid_args": text}


@pytest.mark.parametrize(
    ("name", "example"),
    [
        ("openai", '{"labels": {}}'),
        ("openai-strict", '{"labels":"{}","note":null}'),
        ("openai-responses-strict", '{"labels":"{}","note":null}'),
    ],
)
def test_an_error_shows_args_in_the_form_in_which_the_model_sends_them(name: str, example: str) -> None:
    catalog = Catalog()
    fields = {"labels": {"type": "object"}, "note": {"type": "string"}}
    schema = {"type": "object", "properties": fields, "required": ["labels"], "additionalProperties": False}
    catalog.tool("desk.find", description="Find.", input_schema=schema)(lambda args: args)
    runtime = Runtime(catalog, permission=allow_all)
    conversation = ToolUse(catalog).conversation("chat", runtime, runtime.start_run(), name)
    sent = {"labels": "color=red"}
    (answer,) = asyncio.run(conversation.take(RESPONSES[name]("", [("c", "desk__find", sent)]))).answers
    lines = answer.text.split("\n")
    assert lines[:2] == ["invalid payload", '- /labels: use an object (found "color=red")']
    assert lines[-1] == f"args that fit: {example}"
    assert ("you sent" in answer.text) == (name == "openai")
    right = {"labels": '{"color":"red"}', "note": None} if name != "openai" else {"labels": {"color": "red"}}
    (answer,) = asyncio.run(conversation.take(RESPONSES[name]("", [("c", "desk__find", right)]))).answers
    assert answer.text == '{"labels":{"color":"red"}}'


CUT_OFF = "nothing was called: your answer was cut off at the token limit"


@pytest.mark.parametrize("name", RESPONSES)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_no_call_of_a_response_that_was_cut_off_is_made(name: str, stream: bool) -> None:
    if stream and provider(name).reader is None:
        return
    host, events = Host(name), list[Any]()
    calls = tuple(ToolRequest(name="desk.count", payload=f'{{"n": {n}}}', tool_call_id=f"c{n}") for n in (1, 2))
    model = ScriptedModel(
        ModelReply(text="Now.", calls=calls, incomplete="token_limit"), calls[0], "done", provider=name, stream=stream
    )
    outcome = asyncio.run(host.conversation.run(model, [OPENING], on_event=events.append))
    assert (host.counted, outcome.text, outcome.stopped) == ([1], "done", "completed")
    first = next(event.turn for event in events if isinstance(event, TurnEnded))
    assert [(answer.tool_call_id, answer.is_error) for answer in first.answers] == [("c1", True), ("c2", True)]
    assert all(answer.text.startswith(CUT_OFF) for answer in first.answers)
    assert len([event for event in events if isinstance(event, CallRequested)]) == 1


@pytest.mark.parametrize("name", RESPONSES)
def test_a_text_that_was_cut_off_does_not_complete_a_conversation(name: str) -> None:
    model = ScriptedModel(ModelReply(text="Once upon", incomplete="token_limit"), provider=name)
    outcome = asyncio.run(Host(name).conversation.run(model, [OPENING]))
    assert (outcome.text, outcome.turns, outcome.stopped) == ("Once upon", 1, "incomplete")


def test_a_call_that_the_api_could_not_parse_is_asked_for_again() -> None:
    host = Host("gemini")
    unparsed = {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "content": {}}]}
    model = ScriptedModel(unparsed, ToolRequest(name="desk.count", payload='{"n": 1}'), "done", provider="gemini")
    outcome = asyncio.run(host.conversation.run(model, [OPENING]))
    assert (host.counted, outcome.text) == ([1], "done")
    assert outcome.messages[1]["parts"][0]["text"].startswith("nothing was called: your call was not written as")


def test_output_missing_in_the_last_event_is_collected_from_the_items() -> None:
    item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]}
    reader = provider("openai-responses").stream_reader()
    reader.add({"type": "response.output_item.done", "item": item})
    reader.add({"type": "response.completed", "response": {"status": "completed", "output": []}})
    assert provider("openai-responses").read(reader.response()).text == "hi"


@pytest.mark.parametrize(
    ("name", "response", "sent"),
    [
        (
            "openai",
            {"choices": [{"message": {
                "role": "assistant", "content": "hi", "refusal": None, "annotations": [], "parsed": {"n": 1},
                "tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {
                    "name": "x", "arguments": "{}", "parsed_arguments": {}}}],
            }}]},
            {"role": "assistant", "content": "hi", "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "x", "arguments": "{}"}}]},
        ),
        (
            "openai-responses",
            {"output": [{"type": "message", "role": "assistant", "status": None, "content": [
                {"type": "output_text", "text": "hi", "annotations": [], "logprobs": None, "parsed": {"n": 1}}]}]},
            {"type": "message", "role": "assistant", "content": [
                {"type": "output_text", "text": "hi", "annotations": []}]},
        ),
        (
            "openai-responses",
            {"output": [{"type": "function_call", "call_id": "c", "name": "x", "arguments": "{}",
                         "parsed_arguments": {}}]},
            {"type": "function_call", "call_id": "c", "name": "x", "arguments": "{}"},
        ),
        (
            "anthropic",
            {"content": [{"type": "text", "text": "hi", "citations": None, "parsed_output": {"n": 1}}]},
            {"role": "assistant", "content": [{"type": "text", "text": "hi"}]},
        ),
    ],
)  # fmt: skip
def test_only_fields_accepted_by_the_api_are_sent_back(name: str, response: Any, sent: Any) -> None:
    from toolgen.providers.protocol import CallAnswer

    api = provider(name)
    answers = [
        CallAnswer(tool_call_id=each.tool_call_id, name=each.name, text="1") for each in api.read(response).calls
    ]
    assert api.messages(response, answers)[0] == sent


def test_nulls_in_args_are_kept() -> None:
    from pydantic import BaseModel

    class Call(BaseModel):
        name: str
        id: str | None = None
        args: dict[str, Any]

    assert plain_json(Call(name="x", args={"a": None})) == {"name": "x", "args": {"a": None}}
