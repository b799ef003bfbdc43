"""Answers that were cut off: no framework's call of one is made, and its model is told."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from tests.unit.adapters.shop import Host
from toolgen.agents import Message, run_agent
from toolgen.runtime import allow_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.runtime import Catalog

    LoadStore = Callable[[], Catalog]

# Frameworks take seconds to import.
pytestmark = [
    pytest.mark.xdist_group("providers"),
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]

TOLD = "nothing was called: your answer was cut off"


def gift(**reason: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "store__gift", "args": {}, "id": "c1"}], response_metadata=reason)


def pydantic_ai_model() -> Any:
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    cut = ModelResponse(
        parts=[ToolCallPart(tool_name="store__gift", args={}, tool_call_id="c1")], finish_reason="length"
    )
    done = ModelResponse(parts=[TextPart("done")], finish_reason="stop")
    return FunctionModel(lambda messages, _info: cut if len(messages) == 1 else done)


def pydantic_ai() -> Any:
    from toolgen.adapters.pydantic_ai import planner

    return planner(pydantic_ai_model())


def langchain() -> Any:
    from toolgen.adapters.langchain import planner

    class Chat(GenericFakeChatModel):
        def bind_tools(self, *_: Any, **_more: Any) -> Any:
            return self

    return planner(Chat(messages=iter([gift(stop_reason="max_tokens"), AIMessage("done")])))


def openai_agents() -> Any:
    from agents import Model, ModelResponse, Usage
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage

    from toolgen.adapters.openai_agents import planner

    call = {"type": "function_call", "call_id": "c1", "name": "store__gift", "arguments": "", "status": "incomplete"}
    text = {"type": "output_text", "text": "done", "annotations": []}
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]}
    outputs: Any = iter([ResponseFunctionToolCall(**call), ResponseOutputMessage(**message)])  # type: ignore[arg-type]  # plain JSON

    class Scripted(Model):
        async def get_response(self, *_: Any, **_more: Any) -> ModelResponse:
            return ModelResponse(output=[next(outputs)], usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **_more: Any) -> Any:
            raise NotImplementedError

    return planner(Scripted())


@pytest.mark.parametrize("make", [pydantic_ai, langchain, openai_agents])
def test_a_planner_makes_no_call_of_an_answer_that_was_cut_off(load_store: LoadStore, make: Callable[[], Any]) -> None:
    host = Host(load_store(), allow_all)
    result = asyncio.run(
        run_agent(host.runtime, "clerk", (Message(role="user", content="A gift."),), make(), run=host.run)
    )
    assert result.outcome is not None
    assert (result.outcome.value, host.store.names) == ("done", [])


def test_a_toolset_of_pydantic_ai_makes_no_call_of_an_answer_that_was_cut_off(load_store: LoadStore) -> None:
    from pydantic_ai import Agent

    from toolgen.adapters.pydantic_ai import toolset

    host = Host(load_store(), allow_all)
    agent = Agent(pydantic_ai_model(), toolsets=[toolset(host.runtime, host.run)])
    result = asyncio.run(agent.run("A gift."))
    assert (result.output, host.store.names) == ("done", [])
    assert TOLD in result.all_messages_json().decode()


@pytest.mark.parametrize(
    "reason",
    [
        {"finish_reason": "length"},
        {"finish_reason": "MAX_TOKENS"},
        {"finish_reason": "PROHIBITED_CONTENT"},
        {"stop_reason": "max_tokens"},
        {"stopReason": "max_tokens"},
        {"done_reason": "length"},
        {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
    ],
    ids=["openai", "gemini", "gemini stopped", "anthropic", "bedrock", "ollama", "openai-responses"],
)
def test_a_tool_of_langchain_makes_no_call_of_an_answer_that_was_cut_off(
    load_store: LoadStore, reason: dict[str, Any]
) -> None:
    from toolgen.adapters.langchain import tools

    host = Host(load_store(), allow_all)
    model = GenericFakeChatModel(messages=iter([gift(**reason), AIMessage("done")]))

    def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    def after(state: MessagesState) -> str:
        return "tools" if getattr(state["messages"][-1], "tool_calls", None) else END

    graph = StateGraph(MessagesState)
    graph.add_node("model", ask)
    graph.add_node("tools", ToolNode(tools(host.runtime, host.run)))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", after)
    graph.add_edge("tools", "model")
    state = asyncio.run(graph.compile().ainvoke({"messages": [HumanMessage("A gift.")]}))
    (answer,) = [each for each in state["messages"] if isinstance(each, ToolMessage)]
    assert (answer.status, host.store.names) == ("error", [])
    assert str(answer.content).startswith(TOLD)
    assert state["messages"][-1].content == "done"
