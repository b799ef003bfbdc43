"""A denial with a proposal through each framework, by its own way to deny: the model reads it, the record has it."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from agents import Agent as OpenAIAgent
from agents import Runner
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.types import Command
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolDenied

from tests.unit.adapters import test_langchain as graphs
from tests.unit.adapters import test_openai_agents as openai
from tests.unit.adapters import test_pydantic_ai as pydantic
from tests.unit.adapters.shop import Host, call
from tests.unit.adapters.test_fastmcp import server_of
from toolgen.adapters import openai_agents, pydantic_ai
from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.calls.result import PROPOSED
from toolgen.runtime.policy.approval import ask_before_call
from toolgen.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.runtime import Catalog

    LoadStore = Callable[[], Catalog]

PROPOSAL = {"id": 3, "count": 2}
WRONG = {"id": "three"}
PLACE = "the proposal cannot be given: /id: "


def proposed(text: str) -> Any:
    """Return what a model reads as the proposal."""
    line = text.splitlines()[-1]
    assert line.startswith(PROPOSED), text
    return json.loads(line.removeprefix(PROPOSED))


async def recorded(host: Host) -> list[Any]:
    """Return the reasons and proposals of denials on record."""
    assert host.run.meta.run_id is not None
    events = (await host.record.read(host.run.meta.run_id)).events
    found = [event.data["permission"] for event in events if "permission" in event.data]
    return [(each["reason"], each.get("proposal")) for each in found]


@pytest.mark.parametrize("apart", [True, False])
def test_langgraph(load_store: LoadStore, apart: bool) -> None:
    host = Host(load_store(), ask_before_call)
    bought = graphs.calls(graphs.call("store__buy", "c1", id=1), graphs.call("store__buy", "c2", id=2))
    graph = graphs.graph_of(host, bought, AIMessage("done"), apart=apart)

    async def task() -> Any:
        state = await graph.ainvoke({"messages": [HumanMessage("Buy.")]}, graphs.CONFIG)
        asked = {
            interrupt.id: [question["id"] for question in interrupt.value["questions"]]
            for interrupt in state["__interrupt__"]
        }

        def answer(proposal: Any) -> Command[Any]:
            decision = {"decision": "deny", "reason": "take tea", "proposal": proposal}
            return Command(resume={key: dict.fromkeys(ids, decision) for key, ids in asked.items()})

        for wrong in (WRONG, [1], "x", {"id": "\ud800"}):
            again = await graph.ainvoke(answer(wrong), graphs.CONFIG)
            asked = {
                interrupt.id: [question["id"] for question in interrupt.value["questions"]]
                for interrupt in again["__interrupt__"]
            }
            refused = [interrupt.value["refused"] for interrupt in again["__interrupt__"]]
            assert all("the proposal cannot be given: " in each for each in refused)
            assert wrong != WRONG or all(PLACE in each for each in refused)
            assert host.store.calls == []
        return await graph.ainvoke(answer(PROPOSAL), graphs.CONFIG)

    done = asyncio.run(task())
    for each in graphs.messages(done).values():
        assert "permission was denied: take tea\n" in each.content
        assert proposed(str(each.content)) == PROPOSAL
    assert host.store.calls == []
    assert asyncio.run(recorded(host)) == [("take tea", PROPOSAL)] * 2


def test_langgraph_an_answer_that_allows_with_a_proposal_denies(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    graph = graphs.graph_of(host, graphs.calls(graphs.call("store__buy", "c1", id=1)), AIMessage("done"))

    async def task() -> Any:
        state = await graph.ainvoke({"messages": [HumanMessage("Buy.")]}, graphs.CONFIG)
        (question,) = state["__interrupt__"][0].value["questions"]
        answer = {question["id"]: {"decision": "allow_once", "proposal": PROPOSAL}}
        return await graph.ainvoke(Command(resume=answer), graphs.CONFIG)

    (told,) = graphs.messages(asyncio.run(task())).values()
    assert "a proposal goes with a denial only" in str(told.content)
    assert host.store.calls == []


def test_pydantic_ai(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    script = ScriptedModel(call("store__buy", "c1", id=1), "done")
    tools = pydantic_ai.toolset(host.runtime, host.run)
    agent = Agent(script.for_pydantic_ai(), output_type=[str, DeferredToolRequests], toolsets=[tools])

    def answer(proposal: Any) -> DeferredToolResults:
        decision = {"decision": "deny", "reason": "take tea", "proposal": proposal}
        return DeferredToolResults(approvals={"c1": True}, metadata={"c1": decision})

    async def task() -> Any:
        asked = await agent.run("Buy.")
        again = await agent.run(message_history=asked.all_messages(), deferred_tool_results=answer(WRONG))
        assert isinstance(again.output, DeferredToolRequests)
        assert again.output.metadata["c1"]["refused"].startswith(PLACE)
        assert host.store.calls == []
        return await agent.run(message_history=again.all_messages(), deferred_tool_results=answer(PROPOSAL))

    last = asyncio.run(task())
    assert last.output == "done"
    (told,) = [content for _, outcome, content in pydantic.returns(last.all_messages()) if outcome == "failed"]
    assert "permission was denied: take tea\n" in told
    assert proposed(told) == PROPOSAL
    assert host.store.calls == []
    assert asyncio.run(recorded(host)) == [("take tea", PROPOSAL)]


def test_pydantic_ai_by_its_own_denial(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    script = ScriptedModel(call("store__buy", "c1", id=1), "done")
    tools = pydantic_ai.toolset(host.runtime, host.run)
    agent = Agent(script.for_pydantic_ai(), output_type=[str, DeferredToolRequests], toolsets=[tools])
    asked = asyncio.run(agent.run("Buy."))
    message = pydantic_ai.denial_message(host.runtime, "store__buy", "take tea", PROPOSAL)
    answers = DeferredToolResults(approvals={"c1": ToolDenied(message)})
    last = asyncio.run(agent.run(message_history=asked.all_messages(), deferred_tool_results=answers))
    (told,) = [content for _, outcome, content in pydantic.returns(last.all_messages()) if outcome == "denied"]
    assert proposed(told) == PROPOSAL
    assert asyncio.run(recorded(host)) == [("take tea", PROPOSAL)]


@pytest.mark.parametrize("reason", ["take tea", ""])
def test_openai_agents(load_store: LoadStore, reason: str) -> None:
    host = Host(load_store(), ask_before_call)
    script = ScriptedModel(call("store__buy", "c1", id=1), "done")
    agent = OpenAIAgent(
        name="clerk", model=script.for_openai_agents(), tools=[*openai_agents.tools(host.runtime, host.run)]
    )

    async def task() -> dict[str, Any]:
        state = (await Runner.run(agent, "Buy.")).to_state()
        (asked,) = state.get_interruptions()
        with pytest.raises(InvalidPayload, match=f"^{PLACE}"):
            openai_agents.denial_message(host.runtime, asked.name or "", reason, WRONG)
        message = openai_agents.denial_message(host.runtime, asked.name or "", reason, PROPOSAL)
        state.reject(asked, rejection_message=message)
        return openai.outputs((await Runner.run(agent, state)).new_items)

    told = asyncio.run(task())["c1"]
    assert told.splitlines()[0] == (reason or "permission was denied")
    assert proposed(told) == PROPOSAL
    assert host.store.calls == []
    assert asyncio.run(recorded(host)) == [(reason or "permission was denied", PROPOSAL)]


def test_a_message_of_a_denial_without_a_proposal_is_the_reason(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    assert openai_agents.denial_message(host.runtime, "store__buy", "no") == "no"
    with pytest.raises(InvalidPayload, match="not known here"):
        openai_agents.denial_message(host.runtime, "store__sell", "no", {})


@pytest.mark.parametrize(
    "text", [f"no\n{PROPOSED}", f"no\n{PROPOSED}{{", f"no\n{PROPOSED}[]", f'no\n{PROPOSED}{{"id":"x"}}']
)
def test_a_message_that_only_looks_like_one_with_a_proposal_is_a_reason(load_store: LoadStore, text: str) -> None:
    host = Host(load_store(), ask_before_call)
    script = ScriptedModel(call("store__buy", "c1", id=1), "done")
    agent = OpenAIAgent(
        name="clerk", model=script.for_openai_agents(), tools=[*openai_agents.tools(host.runtime, host.run)]
    )

    async def task() -> None:
        state = (await Runner.run(agent, "Buy.")).to_state()
        state.reject(state.get_interruptions()[0], rejection_message=text)
        await Runner.run(agent, state)

    asyncio.run(task())
    ((reason, proposal),) = asyncio.run(recorded(host))
    assert reason.startswith("no")
    assert proposal is None


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_fastmcp(load_store: LoadStore, mode: str) -> None:
    host = Host(load_store(), ask_before_call)
    forms = [
        {"decision": "deny", "proposal": json.dumps(WRONG)},
        {"decision": "deny", "proposal": "{"},
        {"decision": "deny", "proposal": "null"},
        {"decision": "allow_once", "proposal": json.dumps(PROPOSAL)},
        {"decision": "deny", "reason": "take tea", "proposal": json.dumps(PROPOSAL)},
    ]
    asked: list[str] = []

    async def decide(message: str, _type: Any, params: Any, _context: Any) -> Any:
        asked.append(message)
        assert [*params.requested_schema["properties"]] == ["decision", "reason", "proposal"]
        return ElicitResult(action="accept", content=forms.pop(0))

    async def task() -> Any:
        async with Client(server_of(host), elicitation_handler=decide, mode=mode) as client:
            return await client.call_tool("store__buy", {"id": 1}, raise_on_error=False)

    result = asyncio.run(task())
    assert "permission was denied: take tea\n" in result.content[0].text
    assert proposed(result.content[0].text) == PROPOSAL
    problems = [each.partition("\n")[0] for each in asked]
    assert problems[0] == "store.buy asks to run"
    assert problems[1].startswith(f"Nothing was answered: {PLACE}")
    assert problems[2].startswith("Nothing was answered: the proposal cannot be given: it is not JSON: EOF")
    assert "propose a JSON object of args" in problems[3]
    assert problems[4] == "Nothing was answered: a proposal goes with a denial only, and not with allow_once"
    assert host.store.calls == []
    assert asyncio.run(recorded(host)) == [("take tea", PROPOSAL)]


def test_fastmcp_a_program_that_answers_wrongly_for_ever_is_a_denial(load_store: LoadStore) -> None:
    host = Host(load_store(), ask_before_call)
    asked: list[str] = []

    async def decide(message: str, *_: Any) -> Any:
        asked.append(message)
        return ElicitResult(action="accept", content={"decision": "deny", "proposal": "{"})

    async def task() -> Any:
        async with Client(server_of(host), elicitation_handler=decide, mode="legacy") as client:
            return await client.call_tool("store__buy", {"id": 1}, raise_on_error=False)

    assert "the person did not allow it" in asyncio.run(task()).content[0].text
    assert len(asked) == 10
