"""A scripted model as a model of frameworks: their agents run with tools of a package, whose executors are stubs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.testing.world import catalog, orders_of
from toolgen.contract.records import ToolRequest
from toolgen.runtime import Runtime, allow_all
from toolgen.testing import ModelRequest, ScriptedModel, ScriptError, Stubs, stub_executors

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.runtime import Catalog, Run

    Play = Callable[[Runtime, Run, ScriptedModel, bool], Any]

__all__ = ["catalog"]

QUESTION = "Refund all orders of Ann."


def pydantic_ai(runtime: Runtime, run: Run, model: ScriptedModel, stream: bool) -> Any:
    from pydantic_ai import Agent

    from toolgen.adapters.pydantic_ai import toolset

    agent: Any = Agent(model.for_pydantic_ai(), toolsets=[toolset(runtime, run)])

    async def streamed() -> Any:
        async with agent.run_stream(QUESTION) as result:
            return await result.get_output()

    return asyncio.run(streamed()) if stream else asyncio.run(agent.run(QUESTION)).output


def openai_agents(runtime: Runtime, run: Run, model: ScriptedModel, stream: bool) -> Any:
    from agents import Agent, Runner, set_tracing_disabled

    from toolgen.adapters.openai_agents import tools

    set_tracing_disabled(disabled=True)
    agent: Any = Agent(
        name="clerk", instructions="Be kind.", model=model.for_openai_agents(), tools=[*tools(runtime, run)]
    )

    async def streamed() -> Any:
        result = Runner.run_streamed(agent, QUESTION)
        async for _ in result.stream_events():
            pass
        return result.final_output

    return asyncio.run(streamed()) if stream else asyncio.run(Runner.run(agent, QUESTION)).final_output


def langchain(runtime: Runtime, run: Run, model: ScriptedModel, stream: bool) -> Any:
    from langchain_core.messages import HumanMessage
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    from toolgen.adapters.langchain import tools

    made = tools(runtime, run)
    chat = model.for_langchain().bind_tools(made)

    async def ask(state: Any) -> dict[str, Any]:
        if stream:
            chunks = [chunk async for chunk in chat.astream(state["messages"])]
            return {"messages": [sum(chunks[1:], chunks[0])]}
        return {"messages": [await chat.ainvoke(state["messages"])]}

    graph: Any = StateGraph(MessagesState)
    graph.add_node("model", ask)
    graph.add_node("tools", ToolNode(made))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    state = asyncio.run(graph.compile().ainvoke({"messages": [HumanMessage(QUESTION)]}))
    return state["messages"][-1].content


def host(catalog: Catalog) -> tuple[Stubs, Runtime]:
    stubs = stub_executors(catalog)
    return stubs, Runtime(catalog, executors=stubs, permission=allow_all, inject={"token": lambda _meta: "t"})


FRAMEWORKS = pytest.mark.parametrize("framework", [pydantic_ai, openai_agents, langchain])


@FRAMEWORKS
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_script_plays_the_model_of_an_agent(framework: Play, stream: bool, catalog: Catalog) -> None:
    orders = orders_of(catalog)
    stubs, runtime = host(catalog)
    model = ScriptedModel(
        orders.new_find_call(customer="ann"),
        [orders.new_refund_call(order_id="o-1"), orders.new_refund_call(order_id="o-2")],
        "Both are refunded.",
    )
    assert framework(runtime, runtime.start_run(), model, stream) == "Both are refunded."
    assert [call.arguments for call in stubs.calls] == [
        {"customer": "ann"}, {"order_id": "o-1"}, {"order_id": "o-2"},
    ]  # fmt: skip
    assert {"shop__orders__find", "shop__orders__refund"} <= {*model.requests[0].offered}
    assert QUESTION in str(model.requests[0].messages)
    assert "o-1" in str(model.requests[1].messages)
    model.check()


@FRAMEWORKS
def test_a_function_plays_too_and_what_was_not_offered_is_refused(framework: Play, catalog: Catalog) -> None:
    stubs, runtime = host(catalog)

    def play(request: ModelRequest) -> Any:
        return (
            ToolRequest(name="shop.orders.refnd") if request.number else orders_of(catalog).new_find_call(customer="a")
        )

    with pytest.raises(ScriptError, match=r"calls 'shop\.orders\.refnd', which was not offered; did you mean shop"):
        framework(runtime, runtime.start_run(), ScriptedModel(play), False)
    assert len(stubs.calls) == 1


@FRAMEWORKS
def test_args_that_are_no_json_reach_the_framework_as_they_are(framework: Play, catalog: Catalog) -> None:
    _, runtime = host(catalog)
    model = ScriptedModel(ToolRequest(name="shop.orders.find", payload="{"), "sorry")
    if framework is langchain:  # its tool nodes call nothing for it
        assert framework(runtime, runtime.start_run(), model, False) == ""
    else:
        assert framework(runtime, runtime.start_run(), model, False) == "sorry"
