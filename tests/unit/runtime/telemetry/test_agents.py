"""Spans of runs of agents, of the steps of planners, and of requests to models."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.trace import SpanKind, StatusCode

from tests.unit.llm.tool_use.streams import EVENTS
from tests.unit.runtime.responses import RESPONSES
from tests.unit.runtime.telemetry.spans import Kept, attributes_of, id_of
from tests.unit.toolsets.agent.agents.world import World, call_of, scripted_agent, search, sub
from toolgen.agents import Message, PlannedCalls, RunOutcome, ScriptedPlanner, planner_loop, run_agent
from toolgen.llm import ToolUse
from toolgen.runtime import Catalog, Runtime, ToolDefinition, allow_all
from toolgen.testing import ModelRequest, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from toolgen.agents.planner import Plan

START = [Message(role="user", content="look for it, password=hunter2-abc")]
READ = call_of("code.list_dir", path=".")


def run(kept: Kept, *turns: Any, **more: Any) -> Any:
    world = World(scripted_agent(), telemetry=kept.telemetry)
    return asyncio.run(run_agent(world.runtime, "main", START, ScriptedPlanner(*turns), run=world.start(), **more))


def test_a_run_its_steps_and_its_calls_are_one_trace() -> None:
    kept = Kept()
    run(kept, [READ])
    assert kept.tree() == ["invoke_agent main", "  plan main", "  execute_tool code.list_dir", "  plan main"]
    assert len({id_of(span)[0] for span in kept.spans}) == 1
    assert attributes_of(kept.named("invoke_agent main")) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "main",
        "gen_ai.conversation.id": "s",
        "toolgen.run.id": "run-2",
    }
    assert attributes_of(kept.named("execute_tool code.list_dir"))["gen_ai.agent.name"] == "main"
    ((attributes, point),) = kept.points("gen_ai.invoke_agent.duration")
    assert attributes == {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "main"}
    assert point.count == 1


def test_a_run_without_an_answer_ends_with_an_error() -> None:
    kept = Kept()
    assert run(kept, [READ], [READ], max_turns=1).stopped == "max_turns"
    span = kept.named("invoke_agent main")
    assert (attributes_of(span)["error.type"], span.status.status_code) == ("max_turns", StatusCode.ERROR)


def test_a_planner_that_raises_fails_its_step_and_its_run() -> None:
    class Failing:
        async def plan(self, *_: Any) -> Plan:
            raise KeyError("x")

    kept = Kept()
    world = World(scripted_agent(), telemetry=kept.telemetry)
    with pytest.raises(KeyError):
        asyncio.run(run_agent(world.runtime, "main", START, Failing()))
    assert [(span.name, attributes_of(span)["error.type"]) for span in kept.spans] == [
        ("plan main", "KeyError"), ("invoke_agent main", "KeyError"),
    ]  # fmt: skip
    ((attributes, _),) = kept.points("gen_ai.invoke_agent.duration")
    assert attributes["error.type"] == "KeyError"


def test_a_run_that_a_call_started_is_below_that_call() -> None:
    kept = Kept()
    world = World(lambda child: planner_loop(ScriptedPlanner([READ]), world.catalog)(child), telemetry=kept.telemetry)
    world.one(sub("look"))
    assert kept.tree() == [
        "execute_tool agent.create_sub_agent",
        "  invoke_agent default_sub",
        "    plan default_sub",
        "    execute_tool code.list_dir",
        "    plan default_sub",
    ]


def test_an_exported_agent_whose_loop_is_the_hosts_is_below_its_call() -> None:
    kept = Kept()
    world = World(scripted_agent([READ], answer={"answer": "yes", "sources": []}), telemetry=kept.telemetry)
    world.one(search())
    assert [line.strip() for line in kept.tree()] == [
        "execute_tool orchestrator.research.search",
        "invoke_agent orchestrator.researcher",
        "execute_tool code.list_dir",
    ]


class Counting:
    """A planner that says how many tokens it used."""

    async def plan(self, messages: Any, *_: Any) -> Plan:
        if len(messages) > 1:
            return RunOutcome(value="found it", telemetry={"input_tokens": 30, "output_tokens": 4, "requests": 1})
        message = Message(role="assistant", content="wait", calls=(READ,))
        return PlannedCalls(message=message, telemetry={"input_tokens": 10, "output_tokens": True})


def test_the_tokens_of_planners_are_counted_where_they_are_known() -> None:
    kept = Kept()
    world = World(scripted_agent(), telemetry=kept.telemetry)
    asyncio.run(run_agent(world.runtime, "main", START, Counting()))
    first, second = (attributes_of(span) for span in kept.spans if span.name == "plan main")
    assert first["gen_ai.usage.input_tokens"] == 10
    assert "gen_ai.usage.output_tokens" not in first  # what it gave is not a number
    assert (second["gen_ai.usage.input_tokens"], second["gen_ai.usage.output_tokens"]) == (30, 4)
    sums = {
        attributes["gen_ai.token.type"]: (point.count, point.sum)
        for attributes, point in kept.points("gen_ai.client.token.usage")
    }
    assert sums == {"input": (2, 40), "output": (1, 4)}


def test_messages_are_in_spans_only_if_asked_and_without_secrets() -> None:
    for contents in (False, True):
        kept = Kept(contents=contents)
        world = World(scripted_agent(), telemetry=kept.telemetry)
        asyncio.run(run_agent(world.runtime, "main", START, Counting()))
        first, second = (attributes_of(span) for span in kept.spans if span.name == "plan main")
        if not contents:
            assert "look for it" not in "".join(span.to_json() for span in kept.spans)
            continue
        (asked,) = json.loads(first["gen_ai.input.messages"])
        assert asked["role"] == "user"
        assert asked["parts"][0]["content"].startswith("look for it, password=")
        assert "hunter2" not in first["gen_ai.input.messages"]
        assert json.loads(first["gen_ai.output.messages"]) == [
            {
                "role": "assistant",
                "parts": [
                    {"type": "text", "content": "wait"}, {"type": "tool_call", "id": "", "name": "code.list_dir"},
                ],
                "finish_reason": "tool_call",
            }
        ]  # fmt: skip
        roles = [message["role"] for message in json.loads(second["gen_ai.input.messages"])]
        assert roles == ["user", "assistant"]  # results are in the spans of their calls
        assert json.loads(second["gen_ai.output.messages"])[0]["parts"] == [{"type": "text", "content": "found it"}]


USAGE: dict[str, dict[str, Any]] = {
    "openai": {"model": "m-1", "usage": {"prompt_tokens": 7, "completion_tokens": 2}},
    "openai-responses": {"model": "m-1", "usage": {"input_tokens": 7, "output_tokens": 2}},
    "anthropic": {
        "model": "m-1",
        "usage": {
            "input_tokens": 1,
            "cache_read_input_tokens": 5,
            "cache_creation_input_tokens": 1,
            "output_tokens": 2,
        },
    },
    "gemini": {
        "modelVersion": "m-1",
        "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 1, "thoughtsTokenCount": 1},
    },
    "bedrock": {"usage": {"inputTokens": 3, "cacheReadInputTokens": 4, "outputTokens": 2}},
}
NAMES = {"openai-responses": "openai", "gemini": "gcp.gemini", "bedrock": "aws.bedrock"}


def converse(kept: Kept, provider: str, *, streamed: bool = False, **options: Any) -> None:
    catalog = Catalog()
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    catalog.register(ToolDefinition(name="desk.count", description="x", input_schema=schema), lambda args: args["n"])
    runtime = Runtime(catalog, permission=allow_all, telemetry=kept.telemetry)
    conversation = ToolUse(catalog).conversation("chat", runtime, runtime.start_run(), provider)
    replies = [RESPONSES[provider]("so", [("c1", "desk__count", {"n": 1})]), RESPONSES[provider]("done", [])]
    model = ScriptedModel(*({**reply, **USAGE[provider]} for reply in replies), provider=provider)
    left = iter(replies)

    async def stream(_messages: Any, _request: Any) -> AsyncIterator[Any]:
        for event in EVENTS[provider](next(left)):
            yield event

    asyncio.run(conversation.run(stream if streamed else model, [{"role": "user", "content": "count"}], **options))


@pytest.mark.parametrize("provider", list(USAGE))
def test_requests_of_a_conversation_are_spans_with_their_model_and_tokens(provider: str) -> None:
    kept = Kept()
    converse(kept, provider)
    assert kept.tree() == ["invoke_agent", "  chat", "  execute_tool desk.count", "  chat"]
    first = next(span for span in kept.spans if span.name == "chat")
    assert first.kind is SpanKind.CLIENT
    model = {} if provider == "bedrock" else {"gen_ai.response.model": "m-1"}
    labels = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": NAMES.get(provider, provider), **model}
    assert attributes_of(first) == {**labels, "gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 2}
    ((attributes, point),) = kept.points("gen_ai.client.operation.duration")
    assert (attributes, point.count) == (labels, 2)
    tokens = {each["gen_ai.token.type"]: point.sum for each, point in kept.points("gen_ai.client.token.usage")}
    assert tokens == {"input": 14, "output": 4}


def test_a_conversation_that_is_cut_off_ends_with_an_error() -> None:
    kept = Kept()
    converse(kept, "openai", max_turns=1)
    assert attributes_of(kept.named("invoke_agent"))["error.type"] == "max_turns"


def test_a_streamed_response_belongs_to_its_request_until_its_end() -> None:
    kept = Kept(contents=True)
    converse(kept, "openai", streamed=True)
    assert kept.tree() == ["invoke_agent", "  chat", "  execute_tool desk.count", "  chat"]
    first = next(span for span in kept.spans if span.name == "chat")
    (answer,) = json.loads(attributes_of(first)["gen_ai.output.messages"])
    assert answer["parts"] == [
        {"type": "text", "content": "so"}, {"type": "tool_call", "id": "c1", "name": "desk__count"},
    ]  # fmt: skip


def test_a_request_that_fails_has_the_error() -> None:
    kept = Kept()
    catalog = Catalog()
    runtime = Runtime(catalog, permission=allow_all, telemetry=kept.telemetry)
    conversation = ToolUse(catalog).conversation("chat", runtime, runtime.start_run())

    def fail(_request: ModelRequest) -> str:
        raise ConnectionError("down")

    with pytest.raises(ConnectionError):
        asyncio.run(conversation.run(ScriptedModel(fail), []))
    assert [attributes_of(span)["error.type"] for span in kept.spans] == ["ConnectionError", "ConnectionError"]
    assert "down" not in "".join(str(span.status.description) for span in kept.spans)
