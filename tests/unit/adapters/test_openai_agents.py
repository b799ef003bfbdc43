"""OpenAI Agents: a scripted model uses the tools of a run, with interruptions and resumption."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from agents import Agent, RunConfig, RunContextWrapper, Runner, RunState, set_tracing_disabled
from agents.items import ToolCallOutputItem

from tests.unit.adapters.shop import Host, Store, call
from tests.unit.engine.app import add_policy
from toolgen.adapters import openai_agents
from toolgen.adapters.openai_agents import tools
from toolgen.runtime import Catalog, ToolCallMeta, allow_all
from toolgen.runtime.policy.approval import ask_before_call
from toolgen.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    LoadStore = Callable[[], Catalog]

set_tracing_disabled(disabled=True)


@dataclass
class Context:
    user: str


def outputs(items: Sequence[Any]) -> dict[str, Any]:
    found: list[Any] = [item for item in items if isinstance(item, ToolCallOutputItem)]
    return {item.raw_item["call_id"]: item.output for item in found}


def test_a_whole_task_with_an_approval_a_denial_a_limit_and_a_wrong_call(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    script = ScriptedModel(
        call("store__find", "c1", word="k"),
        call("store__find", "c2", word="kettle"),
        call("store__gift", "c3"),
        call("store__gift", "c4"),
        [call("store__buy", "c5", id=1), call("store__buy", "c6", id=2, count=9)],
        "done",
    )
    agent = Agent(
        name="clerk",
        model=script.for_openai_agents(),
        tools=[*tools(host.runtime, host.run, meta=lambda ctx: ToolCallMeta(user=ctx.context.user))],
    )

    async def task() -> dict[str, Any]:
        first = await Runner.run(agent, "Buy a kettle.", context=Context("ann"))
        interruptions: list[Any] = first.interruptions
        assert [item.raw_item.call_id for item in interruptions] == ["c5", "c6"]
        assert host.store.orders == []
        stored = first.to_state().to_json(context_serializer=lambda context: {"user": context.user})
        state = await RunState.from_json(
            agent, json.loads(json.dumps(stored)), context_deserializer=lambda saved: Context(**saved)
        )
        approved, rejected = state.get_interruptions()
        state.approve(approved)
        state.reject(rejected, rejection_message="too many")
        last = await Runner.run(agent, state)
        assert last.final_output == "done"
        return outputs(last.new_items)

    results = asyncio.run(task())
    assert "word" in results["c1"]
    assert json.loads(results["c2"]) == [{"id": 1, "name": "red kettle"}, {"id": 2, "name": "blue kettle"}]
    assert results["c3"] == "a ribbon"
    assert "rate limit" in results["c4"]
    assert json.loads(results["c5"]) == {"order": 1, "cost": 2500}
    assert results["c6"] == "too many"
    assert host.store.names == ["find", "gift", "buy"]
    assert {meta.user for _, meta in host.store.calls} == {"ann"}
    assert asyncio.run(host.outcomes()) == [
        ("store.find", "invalid_call"), ("store.find", "ok"), ("store.gift", "ok"), ("store.gift", "rate_limited"),
        ("store.buy", "permission_denied"), ("store.buy", "ok"),
    ]  # fmt: skip
    assert asyncio.run(host.denials()) == [("c6", "too many")]
    assert "store__buy" in script.requests[0].offered
    assert "store__close" not in script.requests[0].offered


def test_a_rejection_is_recorded_for_its_own_user_where_calls_of_others_have_the_same_id(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    shared = [*tools(host.runtime, host.run, meta=lambda ctx: ToolCallMeta(user=ctx.context.user))]

    async def asked(user: str, good: int) -> tuple[Any, Any]:
        agent = Agent(
            name="clerk",
            model=ScriptedModel(call("store__buy", "call_0", id=good), "done").for_openai_agents(),
            tools=[*shared],
        )
        result = await Runner.run(agent, "Buy.", context=Context(user))
        return agent, result.to_state()

    async def rejected(agent: Any, state: Any, reason: str) -> None:
        state.reject(state.get_interruptions()[0], rejection_message=reason)
        await Runner.run(agent, state)

    async def task() -> None:
        first, second, third = await asked("ann", 1), await asked("bob", 2), await asked("eve", 3)
        await rejected(*second, "bob says no")
        assert await host.outcomes() == [("store.buy", "permission_denied")]
        await rejected(*first, "ann says no")
        assert await host.outcomes() == [("store.buy", "permission_denied")] * 2
        agent, state = third
        state.approve(state.get_interruptions()[0], always_approve=True)
        await Runner.run(agent, state)
        assert host.store.orders == [3]
        events = (await host.record.read(host.run.meta.run_id or "")).results
        messages = [each.content["error"]["message"] for each in events if not each.success]
        assert [message.rpartition(": ")[2] for message in messages] == ["bob says no", "ann says no"]

    asyncio.run(task())


def test_calls_that_wait_are_known_up_to_a_bound(load_store: LoadStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_agents, "KEPT_CHARACTERS", 30)
    host = Host(load_store(), ask_before_call)
    (buy,) = [each for each in tools(host.runtime, host.run) if each.name == "store__buy"]
    needs_approval: Any = buy.needs_approval
    asked = needs_approval.args[1]

    async def task() -> None:
        for number in range(9):
            assert await needs_approval(RunContextWrapper(None), {"id": 1}, f"c{number}")

    asyncio.run(task())
    assert [(args, call_id) for _, args, call_id in asked.values()] == [
        ('{"id":1}', "c6"), ('{"id":1}', "c7"), ('{"id":1}', "c8"),
    ]  # fmt: skip


def test_what_an_approval_cannot_allow_interrupts_nothing(load_store: LoadStore) -> None:
    catalog = load_store()
    add_policy(catalog, {"approvers": {"store.buy": {"people": 2}}})
    host = Host(catalog, ask_before_call)
    script = ScriptedModel(call("store__buy", "c1", id=1), "done")
    agent = Agent(name="clerk", model=script.for_openai_agents(), tools=[*tools(host.runtime, host.run)])
    result = asyncio.run(Runner.run(agent, "Buy a kettle."))
    assert (result.interruptions, host.store.orders) == ([], [])
    assert "it needs the answer of 2 people, and nobody knows who answers here" in outputs(result.new_items)["c1"]


def test_without_ask_before_call_there_are_no_interruptions(load_store: LoadStore) -> None:
    host = Host(load_store(), allow_all)
    script = ScriptedModel(call("store__buy", "c1", id=3), "done")
    agent = Agent(name="clerk", model=script.for_openai_agents(), tools=[*tools(host.runtime, host.run)])
    result = asyncio.run(Runner.run(agent, "Buy tea.", run_config=RunConfig(tracing_disabled=True)))
    assert result.interruptions == []
    assert host.store.orders == [3]
    assert host.store.calls[0][1].user == "of the run"


def test_a_presentation_with_a_fixed_list_works_and_others_are_refused(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call, "universal-category")
    script = ScriptedModel(call("invoke_action", "c1", action_name="goods__buy", args={"id": 3}), "done")
    shown = host.tool_use.presentation("chat", host.run)
    agent = Agent(
        name="clerk", model=script.for_openai_agents(), tools=[*tools(host.runtime, host.run, presentation=shown)]
    )

    async def task() -> None:
        first = await Runner.run(agent, "Buy tea.")
        state = first.to_state()
        state.approve(first.interruptions[0])
        assert (await Runner.run(agent, state)).final_output == "done"

    asyncio.run(task())
    assert host.store.orders == [3]
    searching = Host(load_store(), ask_before_call, "retrieval")
    with pytest.raises(ValueError, match="lists the tools once"):
        tools(searching.runtime, searching.run, presentation=searching.tool_use.presentation("chat", searching.run))


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "in another process"])
@pytest.mark.parametrize(
    ("answers", "bought"),
    [
        (["approve", "always"], []),
        (["reject", "always"], []),
        (["always", None], []),
        (["always", "reject"], [1]),
        (["reject", "approve"], [2]),
    ],
    ids=str,
)
def test_an_approval_of_all_calls_of_a_tool_answers_no_question_but_its_own(
    load_store: LoadStore, answers: list[str | None], bought: list[int], elsewhere: bool
) -> None:
    """The SDK forgets the rejections before it, and does not keep which of several calls was approved."""
    catalog, store = load_store(), Store()
    turn = [call("store__buy", "call_0", id=1), call("store__buy", "call_1", id=2)]
    model = ScriptedModel(turn, "done").for_openai_agents()

    def agent() -> Agent[Any]:
        host = Host(catalog, ask_before_call, store=store)
        return Agent(name="clerk", model=model, tools=[*tools(host.runtime, host.run)])

    async def task() -> None:
        current = agent()
        state: Any = (await Runner.run(current, "Buy.")).to_state()
        if elsewhere:
            current = agent()
            state = await RunState.from_json(current, json.loads(json.dumps(state.to_json())))
        for item, answer in zip(state.get_interruptions(), answers, strict=True):
            if answer == "reject":
                state.reject(item)
            elif answer is not None:
                state.approve(item, always_approve=answer == "always")
        await Runner.run(current, state)

    asyncio.run(task())
    assert store.orders == (bought if not elsewhere or "always" not in answers else [])
