"""Answers: in any order, at any time, in any process, exactly the calls run that a person allowed, once each."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from agents import Agent as OpenAIAgent
from agents import Runner, RunState
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, ToolCall, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults

from tests.unit.adapters.shop import GOODS, Host, Store, call
from tests.unit.adapters.test_langchain import graph_of
from toolgen.adapters import openai_agents, pydantic_ai
from toolgen.runtime.policy.approval import ask_before_call
from toolgen.testing import ModelRequest, ModelTurn, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.runtime import Catalog

    LoadStore = Callable[[], Catalog]


@dataclass(frozen=True)
class Asked:
    """A call of a model: of `buy`, which asks, or of `price`, which does not. Ids may repeat."""

    name: str
    good: int
    call_id: str


CALLS = st.builds(
    Asked,
    name=st.sampled_from(["buy", "buy", "buy", "price"]),
    good=st.sampled_from(sorted(GOODS)),
    call_id=st.sampled_from(["call_0", "call_1", "call_2"]),
)
"""Few goods and few ids, so that calls of a turn, and of several turns, are alike."""

TURNS = st.lists(st.lists(CALLS, min_size=1, max_size=4), min_size=1, max_size=2)
TURNS_WITH_IDS = st.lists(
    st.lists(CALLS, min_size=1, max_size=3, unique_by=lambda call: call.call_id), min_size=1, max_size=2
)
"""Each id once in a turn: frameworks that bind answers to ids of calls take no others."""

NOT_ANSWERS: list[Any] = [True, "allow_once", {"decision": "allow_once"}, {"q_0": True}, [True, True], {}]


@dataclass
class Person:
    """Decides about questions, by their ids, once about each."""

    data: st.DataObject
    decided: dict[str, tuple[int, bool]] = field(default_factory=dict[str, tuple[int, bool]])

    def decides(self, question: dict[str, Any]) -> bool:
        assert question["id"] not in self.decided, "a question that was answered is asked again"
        is_allowed: bool = self.data.draw(st.booleans(), f"{question['arguments']} is allowed")
        self.decided[question["id"]] = json.loads(question["arguments"])["id"], is_allowed
        return is_allowed

    @property
    def allowed(self) -> Counter[int]:
        """The goods that may be bought, and how often."""
        return Counter(good for good, is_allowed in self.decided.values() if is_allowed)


def check(store: Store, person: Person, turns: list[list[Asked]]) -> None:
    """Check that what was allowed was done once each, that nothing else was, and that all was asked about."""
    made = [call for turn in turns for call in turn]
    assert Counter(store.orders) == person.allowed
    assert len(person.decided) == sum(call.name == "buy" for call in made)
    assert store.names.count("price") == sum(call.name == "price" for call in made)


def message(turn: list[Asked]) -> AIMessage:
    calls = [
        ToolCall(name=f"store__{each.name}", args={"id": each.good}, id=each.call_id, type="tool_call") for each in turn
    ]
    return AIMessage("", tool_calls=calls)


def answer_of(interrupt: Any, person: Person, data: st.DataObject) -> dict[str, Any]:
    """Answer some of the questions of an interrupt, in any order."""
    questions = data.draw(st.permutations(interrupt.value["questions"]))
    count = data.draw(st.integers(1, len(questions)))
    return {each["id"]: person.decides(each) for each in questions[:count]}


@settings(max_examples=12, deadline=None)
@given(turns=TURNS, data=st.data())
@pytest.mark.parametrize("apart", [True, False], ids=["a task for each call", "one task"])
@pytest.mark.variants(1)
def test_langgraph_runs_exactly_what_was_allowed(
    load_store: LoadStore, apart: bool, turns: list[list[Asked]], data: st.DataObject
) -> None:
    catalog, store, saver, person = load_store(), Store(), InMemorySaver(), Person(data)
    known: list[Any] = []
    messages = [*map(message, turns), AIMessage("done")]
    config: Any = {"configurable": {"thread_id": "1", "user": "ann"}}

    def graph() -> Any:
        """Another process has the checkpoints and the goods, and its own runtime, tools and graph."""
        answered = sum(isinstance(each, AIMessage) for each in known)
        return graph_of(
            Host(catalog, ask_before_call, store=store), *messages[answered:], apart=apart, checkpointer=saver
        )

    async def use() -> Any:
        nonlocal known
        state = await graph().ainvoke({"messages": [HumanMessage("Buy.")]}, config)
        known = state["messages"]
        current = graph()
        while "__interrupt__" in state:
            if data.draw(st.booleans(), "in another process"):
                current = graph()
            interrupts = data.draw(st.permutations(state["__interrupt__"]))
            wrong = data.draw(st.none() | st.sampled_from(NOT_ANSWERS), "no answer")
            if wrong is not None:
                bought = list(store.orders)
                state = await current.ainvoke(Command(resume={interrupts[0].id: wrong}), config)
                assert store.orders == bought
                asked = interrupts[0].value["questions"]
                (again,) = [each for each in state["__interrupt__"] if each.value["questions"] == asked]
                assert again.value["refused"]
                interrupts = [*interrupts[1:], again]
            count = data.draw(st.integers(1, len(interrupts)))
            answers = {each.id: answer_of(each, person, data) for each in interrupts[:count]}
            state = await current.ainvoke(Command(resume=answers), config)
            known = state["messages"]
        return state

    state = asyncio.run(use())
    check(store, person, turns)
    results = [each for each in state["messages"] if isinstance(each, ToolMessage)]
    assert len(results) == sum(map(len, turns))
    denied = sum(each.status == "error" for each in results)
    assert denied == sum(not is_allowed for _, is_allowed in person.decided.values())


@settings(max_examples=12, deadline=None)
@given(turns=TURNS_WITH_IDS, data=st.data())
def test_pydantic_ai_runs_exactly_what_was_allowed(
    load_store: LoadStore, turns: list[list[Asked]], data: st.DataObject
) -> None:
    catalog, store, person = load_store(), Store(), Person(data)

    def respond(request: ModelRequest) -> ModelTurn:
        answered = sum(each["kind"] == "response" for each in request.messages)
        calls = turns[answered] if answered < len(turns) else []
        return [call(f"store__{each.name}", each.call_id, id=each.good) for each in calls] or "done"

    def agent() -> Agent[None, Any]:
        host = Host(catalog, ask_before_call, store=store)
        tools: Any = pydantic_ai.toolset(host.runtime, host.run)
        return Agent(
            ScriptedModel(respond).for_pydantic_ai(), output_type=[str, DeferredToolRequests], toolsets=[tools]
        )

    async def use() -> None:
        refused: set[str] = set()
        current = agent()
        result = await current.run("Buy.")
        while isinstance(result.output, DeferredToolRequests):
            asked = result.output
            answers: dict[str, Any] = {}
            metadata: dict[str, dict[str, Any]] = {}
            is_other = data.draw(st.booleans(), "in another process")
            for part in data.draw(st.permutations(asked.approvals)):
                question = asked.metadata[part.tool_call_id]
                if question["id"] not in refused and data.draw(st.booleans(), "another question"):
                    refused.add(question["id"])
                    answers[part.tool_call_id] = True
                    metadata[part.tool_call_id] = {"question": "q_0"}
                    continue
                is_allowed = answers[part.tool_call_id] = person.decides(question)
                if is_allowed and (is_other or data.draw(st.booleans(), "the question is named")):
                    metadata[part.tool_call_id] = {"question": question["id"]}
            if is_other:
                current = agent()
            result = await current.run(
                message_history=result.all_messages(),
                deferred_tool_results=DeferredToolResults(approvals=answers, metadata=metadata),
            )

    asyncio.run(use())
    check(store, person, turns)


@settings(max_examples=12, deadline=None)
@given(turns=TURNS_WITH_IDS, always=st.booleans(), data=st.data())
def test_openai_agents_runs_exactly_what_was_allowed(
    load_store: LoadStore, turns: list[list[Asked]], always: bool, data: st.DataObject
) -> None:
    """Of `always_approve` only what was asked about is made."""
    catalog, store, person = load_store(), Store(), Person(data)
    turns = [[replace(each, call_id=f"{turn} {each.call_id}") for each in calls] for turn, calls in enumerate(turns)]
    asked_in = {each.call_id: each for calls in turns for each in calls}
    scripted: list[Any] = [
        *([call(f"store__{each.name}", each.call_id, id=each.good) for each in turn] for turn in turns),
        "done",
    ]
    model = ScriptedModel(*scripted).for_openai_agents()

    def agent() -> OpenAIAgent[Any]:
        host = Host(catalog, ask_before_call, store=store)
        return OpenAIAgent(name="clerk", model=model, tools=[*openai_agents.tools(host.runtime, host.run)])

    async def use() -> None:
        current = agent()
        result: Any = await Runner.run(current, "Buy.")
        while result.interruptions:
            state = result.to_state()
            if data.draw(st.booleans(), "in another process"):
                current = agent()
                state = await RunState.from_json(current, json.loads(json.dumps(state.to_json())))
            interruptions = data.draw(st.permutations(state.get_interruptions()))
            for item in interruptions[: data.draw(st.integers(1, len(interruptions)))]:
                asked: Any = item.raw_item
                made = asked_in[asked.call_id]
                question = {"id": made.call_id, "arguments": json.dumps({"id": made.good})}
                if person.decides(question):
                    state.approve(item, always_approve=always)
                else:
                    state.reject(item)
            result = await Runner.run(current, state)

    asyncio.run(use())
    assert not Counter(store.orders) - person.allowed, "a call ran that nobody allowed"
    if not always:
        check(store, person, turns)
