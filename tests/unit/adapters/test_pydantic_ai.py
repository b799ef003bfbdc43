"""pydantic-ai: agents with its own test models use the tools of a run through the whole pipeline."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, RunContext, ToolApproved, ToolDenied
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ToolReturnPart,
)
from pydantic_ai.models.test import TestModel

from tests.unit.adapters.shop import Host, call
from tests.unit.engine.app import add_policy
from tests.unit.runtime.responses import RESPONSES
from toolgen.adapters.pydantic_ai import toolset, typed_result
from toolgen.runtime import Catalog, ToolCallMeta, allow_all, deny_all
from toolgen.runtime.policy.approval import ask_before_call
from toolgen.runtime.policy.permission import Decision
from toolgen.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    LoadStore = Callable[[], Catalog]


@dataclass
class Deps:
    user: str


def meta_of(ctx: RunContext[Deps]) -> ToolCallMeta:
    return ToolCallMeta(user=ctx.deps.user)


def returns(messages: Sequence[ModelMessage]) -> list[tuple[str | None, str, Any]]:
    """Return the answers to calls: id, outcome, content."""
    parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    return [(part.tool_call_id, part.outcome, part.content) for part in parts if isinstance(part, ToolReturnPart)]


def test_a_whole_task_with_an_approval_a_denial_a_limit_and_a_wrong_call(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    script = ScriptedModel(
        call("store__find", "c1", word="k"),
        call("store__find", "c2", word="kettle"),
        [call("store__gift", "c3"), call("store__gift", "c4")],
        [call("store__buy", "c5", id=1), call("store__buy", "c6", id=2, count=9)],
        RESPONSES["openai"]("", [("c7", "store__close", {})]),  # which it is not offered
        "done",
    )
    agent = Agent(
        script.for_pydantic_ai(),
        deps_type=Deps,
        output_type=[str, DeferredToolRequests],
        toolsets=[toolset(host.runtime, host.run, meta=meta_of)],
    )

    async def task() -> None:
        first = await agent.run("Buy a kettle.", deps=Deps("ann"))
        asked = first.output
        assert isinstance(asked, DeferredToolRequests)
        assert [part.tool_call_id for part in asked.approvals] == ["c5", "c6"]
        assert asked.metadata["c5"]["tool"] == "store.buy"
        assert asked.metadata["c5"]["scope"] == [["scope", "1"]]
        assert asked.metadata["c6"]["arguments"] == '{"count":9,"id":2}'
        stored = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(first.all_messages()))
        answers = DeferredToolResults(approvals={"c5": ToolApproved(), "c6": ToolDenied("too many")})
        last = await agent.run(message_history=stored, deferred_tool_results=answers, deps=Deps("ann"))
        assert last.output == "done"
        done = returns(last.all_messages())
        assert [(call_id, outcome) for call_id, outcome, _ in done] == [
            ("c1", "retried"), ("c2", "success"), ("c3", "success"), ("c4", "failed"), ("c5", "success"),
            ("c6", "denied"), ("c7", "retried"),
        ]  # fmt: skip
        content = {call_id: content for call_id, _, content in done}
        assert "2" in content["c1"]
        assert "word" in content["c1"]
        assert content["c2"] == [{"id": 1, "name": "red kettle"}, {"id": 2, "name": "blue kettle"}]
        assert content["c3"] == "a ribbon"
        assert "rate limit" in content["c4"]
        assert content["c5"] == {"order": 1, "cost": 2500}
        assert content["c6"] == "too many"

    asyncio.run(task())
    assert host.store.names == ["find", "gift", "buy"]
    assert host.store.orders == [1]
    assert {meta.user for _, meta in host.store.calls} == {"ann"}
    assert {meta.run_id for _, meta in host.store.calls} == {host.run.meta.run_id}
    assert [meta.tool_call_id for _, meta in host.store.calls] == ["c2", "c3", "c5"]
    assert asyncio.run(host.outcomes()) == [
        ("store.find", "invalid_call"), ("store.find", "ok"), ("store.gift", "ok"), ("store.gift", "rate_limited"),
        ("store.buy", "ok"), ("store.buy", "permission_denied"),
    ]  # fmt: skip
    assert asyncio.run(host.denials()) == [("c6", "too many")]


@pytest.mark.parametrize("is_one_conversation", [True, False])
def test_each_denial_is_recorded_once_also_where_calls_have_the_same_id(
    load_store: LoadStore, is_one_conversation: bool
) -> None:
    host = Host(load_store(), ask_before_call)
    script = ScriptedModel(
        *[answer for good in (1, 2, 2) for answer in (call("store__buy", "call_0", id=good), "done")]
    )
    agent = Agent(
        script.for_pydantic_ai(), output_type=[str, DeferredToolRequests], toolsets=[toolset(host.runtime, host.run)]
    )
    history: list[ModelMessage] = []
    for _ in range(3):
        asked = asyncio.run(agent.run("Buy.", message_history=history if is_one_conversation else None))
        answers = DeferredToolResults(approvals={"call_0": ToolDenied("no")})
        last = asyncio.run(agent.run(message_history=asked.all_messages(), deferred_tool_results=answers))
        history = last.all_messages()
    assert asyncio.run(host.outcomes()) == [("store.buy", "permission_denied")] * 3


def test_what_an_approval_cannot_allow_is_not_deferred(load_store: LoadStore) -> None:
    catalog = load_store()
    add_policy(catalog, {"approvers": {"store.buy": {"people": 2}}})
    host = Host(catalog, ask_before_call)
    agent = Agent(
        ScriptedModel(call("store__buy", "c1", id=1), "done").for_pydantic_ai(),
        deps_type=Deps,
        output_type=[str, DeferredToolRequests],
        toolsets=[toolset(host.runtime, host.run, meta=meta_of)],
    )
    result = asyncio.run(agent.run("Buy a kettle.", deps=Deps("ann")))
    assert (result.output, host.store.orders) == ("done", [])
    ((_, outcome, said),) = returns(result.all_messages())
    assert outcome == "failed"
    assert "it needs the answer of 2 people, and nobody knows who answers here" in str(said)


def test_the_model_sees_the_tools_of_the_run_and_no_others(load_store: LoadStore) -> None:
    host = Host(load_store(), allow_all)
    model = TestModel(call_tools=[])
    asyncio.run(Agent(model, toolsets=[toolset(host.runtime, host.run)]).run("What is there?"))
    assert model.last_model_request_parameters is not None
    tools = {tool.name: tool for tool in model.last_model_request_parameters.function_tools}
    assert {"store__find", "store__price", "store__buy", "store__gift"} <= tools.keys()
    assert "store__close" not in tools
    assert tools["store__find"].parameters_json_schema["properties"]["word"]["minLength"] == 2
    assert tools["store__buy"].sequential
    assert not tools["store__find"].sequential


def test_its_test_model_calls_every_tool_by_its_schema(load_store: LoadStore) -> None:
    host = Host(load_store(), allow_all)
    names = ["store__find", "store__gift"]
    result = asyncio.run(Agent(TestModel(call_tools=names), toolsets=[toolset(host.runtime, host.run)]).run("Go."))
    assert [outcome for _, outcome, _ in returns(result.all_messages())] == ["success", "success"]
    assert sorted(host.store.names) == ["find", "gift"]


def test_the_typed_value_of_a_result_comes_from_the_metadata_of_its_part_also_of_a_stored_one(
    load_store: LoadStore,
) -> None:
    host = Host(load_store(), allow_all)
    script = ScriptedModel(call("store__buy", "c1", id=3), "done")
    result = asyncio.run(Agent(script.for_pydantic_ai(), toolsets=[toolset(host.runtime, host.run)]).run("Buy tea."))
    stored = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(result.all_messages()))
    for messages in (result.all_messages(), stored):
        (part,) = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
        value = typed_result(host.runtime, part.metadata)
        assert (type(value).__name__, value.cost) == ("BuyResult", 400)


def test_a_decision_beside_the_approval_may_grant_for_the_session_or_deny(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    script = ScriptedModel(
        [call("store__buy", "c1", id=1), call("store__buy", "c2", id=2)], call("store__buy", "c3", id=1), "done"
    )
    agent = Agent(
        script.for_pydantic_ai(), output_type=[str, DeferredToolRequests], toolsets=[toolset(host.runtime, host.run)]
    )
    first = asyncio.run(agent.run("Buy."))
    answers = DeferredToolResults(
        approvals={"c1": True, "c2": True},
        metadata={
            "c1": {"decision": Decision.ALLOW_FOR_SESSION},
            "c2": {"decision": "deny", "reason": "one is enough"},
        },
    )
    last = asyncio.run(agent.run(message_history=first.all_messages(), deferred_tool_results=answers))
    assert last.output == "done"
    assert host.store.orders == [1, 1]
    failed = [content for _, outcome, content in returns(last.all_messages()) if outcome == "failed"]
    assert len(failed) == 1
    assert failed[0].startswith("store.buy was not allowed to run: permission was denied: one is enough")
    assert asyncio.run(host.outcomes()) == [
        ("store.buy", "ok"), ("store.buy", "permission_denied"), ("store.buy", "ok"),
    ]  # fmt: skip


@pytest.mark.parametrize("decision", [None, {"decision": "allow_for_session"}])
@pytest.mark.parametrize("good", [1, 2], ids=["the same call", "another call"])
@pytest.mark.parametrize("is_other", [False, True], ids=["the toolset that asked", "another one"])
def test_an_approval_that_names_no_question_is_of_the_call_that_was_asked_about(
    load_store: LoadStore, is_other: bool, good: int, decision: dict[str, Any] | None
) -> None:
    """The history is the host's: it may be changed where it is stored while a person decides."""
    host = Host(load_store(), ask_before_call)
    script = ScriptedModel(call("store__buy", "c1", id=1), "done", "done")

    def agent() -> Agent[None, Any]:
        tools: Any = toolset(host.runtime, host.run)
        return Agent(script.for_pydantic_ai(), output_type=[str, DeferredToolRequests], toolsets=[tools])

    async def use() -> None:
        first = agent()
        asked = await first.run("Buy.")
        stored = ModelMessagesTypeAdapter.dump_json(asked.all_messages()).replace(rb"\"id\": 1", rb"\"id\": %d" % good)
        history = ModelMessagesTypeAdapter.validate_json(stored)
        answers = DeferredToolResults(approvals={"c1": True}, metadata={} if decision is None else {"c1": decision})
        current = agent() if is_other else first
        last = await current.run(message_history=history, deferred_tool_results=answers)
        if good == 1 and not is_other:
            assert (last.output, host.store.orders) == ("done", [1])
            again = await current.run(message_history=history, deferred_tool_results=answers)
            assert isinstance(again.output, DeferredToolRequests) != bool(decision), "an answer counts once"
            return
        assert host.store.orders == []
        question = last.output.metadata["c1"]
        why = (
            "this toolset has not asked about the call" if is_other else "the call is not the one that was asked about"
        )
        assert question["refused"].startswith(why)
        named = DeferredToolResults(approvals={"c1": True}, metadata={"c1": {"question": question["id"]}})
        assert (await agent().run(message_history=history, deferred_tool_results=named)).output == "done"
        assert host.store.orders == [good]

    asyncio.run(use())


def test_a_callback_of_the_host_replaces_the_framework(load_store: LoadStore) -> None:
    host = Host(load_store(), deny_all)
    script = ScriptedModel(call("store__buy", "c1", id=1), "done")
    result = asyncio.run(Agent(script.for_pydantic_ai(), toolsets=[toolset(host.runtime, host.run)]).run("Buy."))
    assert [outcome for _, outcome, _ in returns(result.all_messages())] == ["failed"]
    assert host.store.orders == []


@pytest.mark.parametrize("presentation", ["universal-category", "retrieval"])
def test_other_presentations_work_because_tools_are_listed_at_each_step(
    load_store: LoadStore, presentation: Any
) -> None:
    host = Host(load_store(), ask_before_call, presentation)
    if presentation == "universal-category":
        script = ScriptedModel(call("invoke_action", "c2", action_name="goods__buy", args={"id": 3}), "done")
    else:
        script = ScriptedModel(call("search_tools", "c1", query="buy a good"), call("store__buy", "c2", id=3), "done")
    shown = host.tool_use.presentation("chat", host.run)
    agent = Agent(
        script.for_pydantic_ai(),
        output_type=[str, DeferredToolRequests],
        toolsets=[toolset(host.runtime, host.run, presentation=shown)],
    )
    first = asyncio.run(agent.run("Buy tea."))
    assert isinstance(first.output, DeferredToolRequests)
    assert first.output.metadata["c2"]["tool"] == "store.buy"
    last = asyncio.run(
        agent.run(
            message_history=first.all_messages(), deferred_tool_results=DeferredToolResults(approvals={"c2": True})
        )
    )
    assert last.output == "done"
    assert host.store.orders == [3]
    assert "store__price" not in script.requests[0].offered
    if presentation == "retrieval":
        assert "store__buy" not in script.requests[0].offered
        assert "store__buy" in script.requests[1].offered
    else:
        assert "goods" in json.dumps(script.requests[0].messages)
